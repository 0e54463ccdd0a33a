import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wantsEveryRow, type QueryContext } from '../query-type';

/** Columns of these names in a list, each as it is rendered. */
export const columnList = (names: readonly string[], render = (name: Sql): Sql => name): Sql =>
  joinSql(names.map((name) => render(identifier(name))));

export const asNumber = (name: Sql): Sql => sql`${name}::float8 as ${name}`;

/** How many rows a list has in all; the column is cast to float8 as all counts are. */
export const TOTAL_ROWS: Sql = sql`count(*) over () as total_rows`;

/** The first rows by counts, all that are equal to the last of them included; all rows for another order. */
export function topNWithTies(counts: readonly string[], context: QueryContext): Sql {
  if (wantsEveryRow(context)) return emptySql;
  const { page, limit } = context.page;
  return sql` order by ${columnList(counts, (count) => sql`${count} desc`)} fetch first ${page * limit} rows with ties`;
}
