import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';

/** Rows of numbers as a table of that name; its first column holds text ids. */
export function numbersSql<Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  [id, ...names]: readonly [Name, ...Name[]],
  table: string,
): Sql {
  const columns = names.map((name) => sql`${rows.map((row) => row[name])}::float8[]`);
  const ids = sql`${rows.map((row) => row[id])}::int[]`;
  const named = [id, ...names].map((name) => identifier(name));
  return sql`unnest(${joinSql([ids, ...columns], ', ')}) as ${identifier(table)}(${joinSql(named, ', ')})`;
}
