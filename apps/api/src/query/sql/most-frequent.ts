import { PAGE_TEXT, pageTexts } from '@ledgerline/contracts/read-models/page-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { sumsByDays } from './blocks';
import { among } from './page-counts';

/** Of rows (path, target, times) the target of each path that comes most often; of equal ones the first by its text. */
export const mostFrequent = (counted: Sql): Sql => sql`
    select distinct on (c.path) c.path, c.target
    from (${counted}) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C"`;

/** The same of a kind of texts over the days of the range, for each of the CTE `pages`. */
export function mostFrequentText(context: QueryContext, kind: keyof typeof PAGE_TEXT): Sql {
  const also = sql` and kind = ${PAGE_TEXT[kind]}${among(sql`pages`)}`;
  const texts = sumsByDays(context, pageTexts, { columns: ['times'], by: ['value', 'text'], also });
  return mostFrequent(sql`select value as path, text as target, times from (${texts}) texts where times > 0`);
}
