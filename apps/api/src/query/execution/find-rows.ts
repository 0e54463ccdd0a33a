import type { Bucket } from '@ledgerline/domain/query/buckets';
import type { Row } from '@ledgerline/domain/query/rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { mapInSlices } from '@ledgerline/platform/log/yield-to-event-loop';
import { emptyRow, numberIn, type SqlRow } from '../sql-row';
import { EVERY_ROW, type QueryContext, type QueryType, type Source } from '../query-type';
import type { RequestCounts } from '../session-columns/request-counts';
import { countFor, plan, type Executor } from './plan';

/** What was found about a range, before a page is cut out. */
export interface Found {
  /** All rows, except of a long list: then those up to the end of the page. */
  readonly rows: readonly Row[];
  /** How many rows a list has in all. */
  readonly total?: number;
}

/** What rows come from. */
export interface RowOrigin {
  /** The main database, for what no read store has. */
  readonly main: Queryable;
  /** Counts the types of the request that are answered from kept counts or from columns. */
  readonly counts: RequestCounts;
  /** Is given each type with what executes it. */
  readonly onPlan?: (type: string, executor: Executor) => void;
  /** In tests: what is to execute the type, instead of what is planned. */
  readonly executor?: Executor | undefined;
}

/** The rows of a type, executed as planned. */
export async function findRows(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  origin: RowOrigin,
): Promise<Found> {
  if (type.shape === 'series' && context.buckets.length === 0) return { rows: [] };
  const executor = origin.executor ?? plan(type, context).executor;
  origin.onPlan?.(type.name, executor);
  const source = executor === 'rollups' ? 'fifteenMinutes' : 'facts';
  const asked = countFor(type, context, executor);
  const counted = asked?.isTotal === false ? await origin.counts.rowsOf(asked) : undefined;
  const found = await (counted
    ? fromCounted(on, type, context, { main: origin.main, counted })
    : fromSql(on, type, { main: origin.main, query: sqlFor(type, context, source) }));
  const rows = await rowsOf(type, context, found);
  if (type.shape !== 'list') return { rows };
  const total = totalIn(type, context, found) ?? (counted && (totalIn(type, context, counted) ?? counted.length));
  if (total !== undefined) return { rows, total };
  const isKept = asked !== undefined && origin.executor === undefined;
  return { rows, total: await (isKept ? origin.counts.totalOf(asked) : countRows(on, type, context, source)) };
}

/** Single things, and what only they have, are read from facts by the times that were found. */
async function fromCounted(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  { main, counted }: { readonly main: Queryable; readonly counted: readonly SqlRow[] },
): Promise<readonly SqlRow[]> {
  const [first] = counted;
  if (!type.sources.facts || !first) return counted;
  const { page, limit } = context.page;
  const isAfterLast = 'total_rows' in first && (page - 1) * limit >= numberIn(first, 'total_rows');
  if (isAfterLast) return [];
  const numbers = (name: string) => counted.map((row) => numberIn(row, name));
  const found = { times: numbers('at'), ...('value' in first ? { values: numbers('value') } : {}) };
  const rows = await runTraced(on, type.name, type.sources.facts({ ...context, found }));
  return type.complete?.(rows, main) ?? rows;
}

async function fromSql(
  on: Queryable,
  type: QueryType,
  { main, query }: Pick<RowOrigin, 'main'> & { readonly query: Sql },
): Promise<readonly SqlRow[]> {
  const found = await runTraced(on, type.name, query);
  return type.complete?.(found, main) ?? found;
}

/** `summary` stands for the statement, which is long and in `test/query/rendered`. */
function runTraced(on: Queryable, summary: string, statement: Sql): Promise<readonly SqlRow[]> {
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return traced(`SQL ${summary}`, { kind: 'client', attributes }, async (set) => {
    const rows = await run<SqlRow>(on, statement);
    set({ 'db.response.returned_rows': rows.length });
    return rows;
  });
}

/** How many rows a list has, if the rows say so or are all there are. */
function totalIn(type: QueryType, { page, sort }: QueryContext, found: readonly SqlRow[]): number | undefined {
  const [first] = found;
  if (first && 'total_rows' in first) return numberIn(first, 'total_rows');
  const isWhole = sort !== null || type.pagesFromNewest || found.length < page.page * page.limit;
  return !type.sortedBySql && isWhole ? found.length : undefined;
}

async function countRows(on: Queryable, type: QueryType, context: QueryContext, source: Source): Promise<number> {
  const rows = type.countRows?.(context) ?? sqlFor(type, { ...context, page: EVERY_ROW }, source);
  const count = type.countRows ? rows : sql`select count(*)::float8 as total_rows from (${rows}) every_row`;
  const [row] = await runTraced(on, `${type.name} count`, count);
  return numberIn(row ?? emptyRow(), 'total_rows');
}

/** The SQL that answers a query type. */
export function sqlFor(type: QueryType, context: QueryContext, source: Source): Sql {
  const render = type.sources[source];
  if (!render) throw new Error(`${type.name} cannot be answered from ${source}.`);
  return render(context);
}

/** A list may have a million rows, and requests of others go on meanwhile. */
async function rowsOf(type: QueryType, { buckets }: QueryContext, found: readonly SqlRow[]): Promise<readonly Row[]> {
  switch (type.shape) {
    case 'totals':
      return [type.row(found[0] ?? emptyRow())];
    case 'series':
      return seriesOf(type, buckets, found);
    case 'list':
      return mapInSlices(found, type.row);
  }
}

/** A row for each bucket, or of each bucket for each value that the series is split by. */
function seriesOf({ splitBy, row }: QueryType, buckets: readonly Bucket[], found: readonly SqlRow[]): Row[] {
  const partOf = (of: SqlRow) => (splitBy === undefined ? 0 : numberIn(of, splitBy));
  const rows = new Map(found.map((of) => [`${numberIn(of, 'bucket')} ${partOf(of)}`, of]));
  const parts = [...new Set(found.map(partOf))].sort((a, b) => a - b);
  const empties = parts.map((part) => emptyRow(splitBy === undefined ? {} : { [splitBy]: part }));
  return buckets.flatMap(({ label: date }, at) =>
    (parts.length === 0 ? [0] : parts).map((part, place) =>
      row({ ...(rows.get(`${at + 1} ${part}`) ?? empties[place] ?? emptyRow()), date }),
    ),
  );
}
