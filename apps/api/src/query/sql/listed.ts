import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { topNWithTies, TOTAL_ROWS } from './ranked';

interface Columns {
  /** What the rows are ordered by. */
  readonly counts: readonly string[];
  /** Further numbers. */
  readonly others: readonly string[];
  /** Further text ids, whose texts are null if missing. */
  readonly texts?: readonly string[];
  /** The rows say how many there are in all, as `total_rows`, because only those that may be on the page are there. */
  readonly isCounted?: boolean;
}

/** The rows that may be on the page, from rows by `value` with these columns, each with the text of its value. */
export function listed(
  grouped: Sql,
  { counts, others, texts = [], isCounted = false }: Columns,
  context: QueryContext,
): Sql {
  const columns = [
    ...[...counts, ...others].map((name) => sql`r.${identifier(name)}::float8 as ${identifier(name)}`),
    ...texts.map((name) => sql`(select text from dictionary where id = r.${identifier(name)}) as ${identifier(name)}`),
  ];
  return sql`
with grouped as (${grouped})
select coalesce(d.text, '') as text, ${joinSql(columns, ', ')}, r.total_rows::float8 as total_rows
from (select *${isCounted ? emptySql : sql`, ${TOTAL_ROWS}`} from grouped${topNWithTies(counts, context)}) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}`;
}
