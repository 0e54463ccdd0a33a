import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { topNWithTies, TOTAL_ROWS } from './rollups';

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
