import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wantsEveryRow, type QueryContext } from '../query-type';
import { addedUp, distinctCounts } from './blocks';

/** No value to group by: the whole is one group. */
export const singleGroup: Sql = sql`0`;

/** How many rows a list has in all; the column is cast to float8 as all counts are. */
export const TOTAL_ROWS: Sql = sql`count(*) over () as total_rows`;

/**
 * The rows that may be on the page in order of their counts, with the sum of `share` over all rows as
 * `whole`. Ties at the end stay in: only their names decide, which are joined here for these rows alone.
 */
export function ranked(grouped: Sql, counts: readonly string[], share: string, context: QueryContext): Sql {
  const columns = joinSql(
    counts.map((count) => sql`r.${identifier(count)}::float8 as ${identifier(count)}`),
    ', ',
  );
  return sql`
with grouped as (${grouped})
select coalesce(d.text, '') as text, ${columns}, r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(${identifier(share)}) over () as whole, ${TOTAL_ROWS} from grouped${topNWithTies(counts, context)}
) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}`;
}

/** The first rows by counts, all that are equal to the last of them included; all rows for another order. */
export function topNWithTies(counts: readonly string[], context: QueryContext): Sql {
  if (wantsEveryRow(context)) return emptySql;
  const { page, limit } = context.page;
  const order = joinSql(
    counts.map((count) => sql`${identifier(count)} desc`),
    ', ',
  );
  return sql` order by ${order} fetch first ${page * limit} rows with ties`;
}

interface Ranking {
  readonly rollup: ReadModel;
  /** What the rows are ranked by first. */
  readonly by: 'pageviews' | 'sessions';
  readonly withoutMissing: boolean;
}

/**
 * The rows that may be on the page from the rollup of a dimension, as {@link ranked} has them. Only what is simply added
 * up decides which these are; their visitors are counted for them alone, and for all values together.
 */
export const rankedByDays = (context: QueryContext, { rollup, by, withoutMissing }: Ranking): Sql => {
  const count = identifier(by);
  const missing = withoutMissing ? sql` and value <> ${NO_TEXT}` : emptySql;
  const also = sql` and value = any(array(
      select value from top union all select unnest(${withoutMissing ? [EVERY_VALUE, NO_TEXT] : [EVERY_VALUE]}::int[])))`;
  return sql`
with added as (${addedUp(context, rollup, by, missing)}
), top as (
  select *, ${TOTAL_ROWS} from added${topNWithTies([by], context)}
), counted as (${distinctCounts(context, rollup, { columns: ['visitors'], also })}
), whole as (
  select sum(case value when ${EVERY_VALUE} then visitors else -visitors end) as whole
  from counted where value in (${EVERY_VALUE}, ${withoutMissing ? NO_TEXT : EVERY_VALUE})
)
select coalesce(d.text, '') as text, ${count}, coalesce(visitors, 0) as visitors, whole,
  total_rows::float8 as total_rows
from top left join counted using (value) cross join whole
left join dictionary d on d.id = value and value <> ${NO_TEXT}`;
};
