import { topNWithTies } from './rollups';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';

interface Columns {
  /** What the rows are ordered by. */
  readonly counts: readonly string[];
  /** Further numbers. */
  readonly others?: readonly string[];
  /** Further text ids, whose texts are null if missing. */
  readonly texts?: readonly string[];
}

/**
 * The rows that may be on the page, from rows by `value` with these columns and how many there are in all (`total_rows`),
 * each with the text of its value.
 */
export function listed(grouped: Sql, { counts, others = [], texts = [] }: Columns, context: QueryContext): Sql {
  const columns = [
    ...[...counts, ...others].map((name) => sql`r.${identifier(name)}::float8 as ${identifier(name)}`),
    ...texts.map((name) => sql`(select text from dictionary where id = r.${identifier(name)}) as ${identifier(name)}`),
  ];
  return sql`
select coalesce(d.text, '') as text, ${joinSql(columns, ', ')}, r.total_rows::float8 as total_rows
from (select * from (${grouped}) grouped${topNWithTies(counts, context)}) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}`;
}
