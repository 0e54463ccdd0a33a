import type { Order } from '@ledgerline/domain/query/rows';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';

/** The text of an id as a column. */
export const textOf = (id: Sql, name: string): Sql =>
  sql`(select text from dictionary where id = ${id}) as ${identifier(name)}`;

/** The texts of some columns of a row. */
export const textsOf = (row: string, names: readonly string[]): Sql =>
  joinSql(
    names.map((name) => textOf(identifier(row, name), name)),
    ',\n  ',
  );

/** The direction that a request asks for, or else that of the list. */
export const directionOf = ({ sort }: QueryContext, ofList: Order['direction'] = 'desc'): Sql =>
  (sort?.direction ?? ofList) === 'asc' ? sql`asc` : sql`desc`;

/** Rows by time, then by id. */
export function orderOfTime(context: QueryContext, row: string, ofList?: Order['direction']): Sql {
  const direction = directionOf(context, ofList);
  return sql`order by ${identifier(row, 'at')} ${direction}, ${identifier(row, 'id')} ${direction}`;
}

/** Cuts the page out. */
export const limitOf = ({ page: { page, limit } }: QueryContext): Sql =>
  sql`limit ${limit} offset ${(page - 1) * limit}`;

/** The rows that were found by their times, which a column holds, and by what they are sorted by. */
export function atTimes(column: Sql, { found }: QueryContext, sorted?: Sql): Sql {
  if (!found) return emptySql;
  const times = sql`${binaryArray('timestamptz', found.times)}::timestamptz[]`;
  if (!found.values || !sorted) return sql` and ${column} = any(${times})`;
  return sql` and (${column}, ${sorted}) in (select * from unnest(${times}, ${found.values}::bigint[]))`;
}

interface SingleRows {
  /** The name of a row. */
  readonly row: string;
  /** Its columns before the page is cut out; those it has by default. */
  readonly found?: Sql;
  readonly from: Sql;
  /** By time unless it says otherwise. */
  readonly order?: Sql;
  /** What is looked up for the rows of the page alone; joins may follow the page. */
  readonly columns: Sql;
  readonly joins?: Sql;
}

/** A page of single things in order. */
export function pageOfRows(
  context: QueryContext,
  { row, from, columns, joins = emptySql, ...wanted }: SingleRows,
): Sql {
  const { found = sql`${identifier(row)}.*`, order = orderOfTime(context, row) } = wanted;
  return sql`
with page as (
  select ${found} from ${from}
  ${order} ${limitOf(context)}
)
select ${columns}
from page ${identifier(row)}${joins}
${order}`;
}

/** How many of such rows there are. */
export const sizeOf = (facts: Sql): Sql => sql`select count(*)::float8 as total_rows from ${facts}`;
