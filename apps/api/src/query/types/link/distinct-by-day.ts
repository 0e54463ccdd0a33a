import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { numberIn } from '../../found';
import { linkSeries, type Description, type QueryType } from '../../query-type';
import type { LinkQuestion } from '../../question';
import { bucketOf, spanOf } from '../../sql/series';
import { clicksIn, inBlocks } from './clicks';
import { LINK_FILTERS } from './filters';

interface Distinct extends Pick<Description, 'name' | 'meaning'> {
  readonly reads: ReadModel;
  readonly column: string;
}

/** How many different known values there were in each bucket. */
export function distinctByDay({ reads, column, ...description }: Distinct): QueryType<LinkQuestion> {
  return linkSeries({
    ...description,
    category: 'Links',
    publicAccess: false,
    allowedFilters: LINK_FILTERS,
    fields: { date: text, value: count },
    answers: {
      fifteenMinutes(question) {
        const values = { columns: sql`value`, also: sql` and value <> ''` };
        return sql`
select bucket, count(*)::float8 as value
from (
  select distinct bucket, value from ${inBlocks(question, reads, question.buckets, values)}
) each_value
group by 1`;
      },
      facts(question) {
        const { from, to } = spanOf(question);
        const value = identifier(column);
        return sql`
select ${bucketOf(question, sql`at`)} as bucket, count(distinct ${value})::float8 as value
from ${clicksIn(question, from, to)} and ${value} <> ''
group by 1`;
      },
    },
    row: (found) => ({ value: numberIn(found, 'value') }),
  });
}
