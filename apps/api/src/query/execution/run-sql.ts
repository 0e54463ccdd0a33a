import { run as read, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { withSpan } from '@ledgerline/platform/tracing/tracing';
import { emptyRow, numberCell, totalSaidBy, type SqlRow } from '../declaration/fields';
import { EVERY_ROW, type QueryContext, wantsEveryRow } from '../declaration/query-context';
import type { QueryType, SqlSource } from '../declaration/query-type';
import type { Execution } from './request-aggregates';

/** Rows of which there are few. */
export const readQueryRows = (type: QueryType, context: QueryContext, source: SqlSource, on: Queryable) =>
  runTraced(on, type.name, sqlFor(type, context, source));

/** Rows of which there may be more than there is memory for. */
export async function readList(
  type: QueryType,
  context: QueryContext,
  source: SqlSource,
  { client, aggregates }: Execution<Queryable>,
): Promise<readonly SqlRow[]> {
  const { page, limit } = context.page;
  if (type.sources.singles) await aggregates.takeRows(limit, type);
  else if (!wantsEveryRow(context)) await aggregates.takeRows(page * limit, type);
  else {
    const some = sql`select * from (${sqlFor(type, context, source)}) every_row limit ${MANY_ROWS + 1}`;
    const rows = await runTraced(client, type.name, some);
    if (rows.length <= MANY_ROWS) return rows;
    await aggregates.takeRows(totalSaidBy(rows) ?? (await countRows(type, context, source, client)), type);
  }
  return readQueryRows(type, context, source, client);
}

/** The rows of a list that is needed whole: how many there are is counted only where there are more. */
const MANY_ROWS = 10_000;

/** `summary` stands for the statement, which is long and in `test/query/rendered`. */
function runTraced(on: Queryable, summary: string, statement: Sql): Promise<readonly SqlRow[]> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return withSpan(`SQL ${summary}`, { kind: 'client', attributes }, async (set) => {
    const rows = await read<SqlRow>(on, statement);
    set({ 'db.response.returned_rows': rows.length });
    return rows;
  });
}

/** The SQL that answers a query type. */
export function sqlFor(type: QueryType, context: QueryContext, source: SqlSource): Sql {
  const render = type.sources[source];
  if (!render) throw new Error(`${type.name} cannot be answered from ${source}.`);
  return render(context);
}

/** Returns the number of rows a list has in all. */
export async function countRows(
  type: QueryType,
  context: QueryContext,
  source: SqlSource,
  on: Queryable,
): Promise<number> {
  const every = () => sqlFor(type, { ...context, page: EVERY_ROW }, source);
  const count =
    type.sources.singles?.countRows?.(context) ??
    sql`select count(*)::float8 as total_rows from (${every()}) every_row`;
  const [row] = await runTraced(on, `${type.name} count`, count);
  return numberCell(row ?? emptyRow(), 'total_rows');
}
