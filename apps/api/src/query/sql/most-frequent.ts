import { PAGE_TEXT, pageTexts } from '@ledgerline/contracts/read-models/page-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { sumsByDays } from './rollups';
import { among } from './page-counts';

/**
 * As (path, target) the text of a kind that comes most often in the days of the range on each page of the CTE `pages`; of
 * equally frequent ones the first by code point.
 */
export function mostFrequentText(context: QueryContext, kind: keyof typeof PAGE_TEXT): Sql {
  const also = sql` and kind = ${PAGE_TEXT[kind]}${among(sql`pages`)}`;
  const texts = sumsByDays(context, pageTexts, { columns: ['times'], by: ['value', 'text'], also });
  return sql`
    select distinct on (c.value) c.value as path, c.text as target
    from (${texts}) c join dictionary d on d.id = c.text
    where c.times > 0
    order by c.value, c.times desc, d.text collate "C"`;
}
