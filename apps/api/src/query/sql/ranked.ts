import { NO_WORD } from '@ledgerline/contracts/read-models/words';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Question } from '../question';

/** No value to group by: the whole is one group. */
export const EVERYTHING: Sql = sql`0`;

/**
 * The rows that may be on the page in order of their counts, with the sum of `share` over all rows as
 * `whole`. Ties at the end stay in: only their names decide, which are joined here for these rows alone.
 */
export function ranked(grouped: Sql, counts: readonly string[], share: string, question: Question): Sql {
  const columns = joinSql(
    counts.map((count) => sql`r.${identifier(count)}::float8 as ${identifier(count)}`),
    ', ',
  );
  return sql`
with grouped as (${grouped})
select coalesce(w.word, '') as word, ${columns}, r.whole::float8 as whole
from (select *, sum(${identifier(share)}) over () as whole from grouped${first(counts, question)}) r
left join words w on w.id = r.value and r.value <> ${NO_WORD}`;
}

/** The first rows by counts, all that are equal to the last of them included; all rows for another order. */
export function first(counts: readonly string[], { page: { page, limit }, sort }: Question): Sql {
  if (sort) return emptySql;
  const order = joinSql(
    counts.map((count) => sql`${identifier(count)} desc`),
    ', ',
  );
  return sql` order by ${order} fetch first ${page * limit} rows with ties`;
}
