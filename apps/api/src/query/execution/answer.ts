import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { instantsOf, type Bucket } from '@ledgerline/domain/query/buckets';
import type { Row } from '@ledgerline/domain/query/rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { mapInSlices } from '@ledgerline/platform/log/yield-to-event-loop';
import { emptyRow, numberIn, type SqlRow } from '../fields';
import type { RequestSessions } from '../session-columns/request-sessions';
import {
  EVERY_ROW,
  METRIC_FILTER,
  type QueryContext,
  type QueryType,
  type Source,
  type ValueFilter,
} from '../query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { hasDays } from '../sql/blocks';
import type { ResponseSizeLimit } from './response-size-limit';
import { checkFilters } from './check-filters';
import { CHANGE } from './comparison';
import type { Deadline } from './deadline';
import { readInSlices, ROWS_OF_SLICE } from './read-in-slices';
import type { Snapshot } from './snapshot';

/** @throws Problem if its type does not support a filter or sort field of the request, or lacks one it needs */
export function checkSupported(
  parameter: QueryParameter,
  { filters, sort, parameters }: Pick<QueryRequest, 'filters' | 'sort' | 'parameters'>,
): void {
  const { type } = parameter;
  checkFilters(type, filters);
  if (!sort) return;
  // a single row needs no order, so that it may be asked for beside lists with other fields
  const sorted = type.shape === 'totals' ? parameters : [parameter];
  if (sorted.some((each) => sortable(each).includes(sort.field))) return;
  const fields = sortable(parameter).join(', ');
  const needed = sort.field === CHANGE && type.isComparable ? `, and with compare by ${CHANGE}` : '';
  throw new Problem(
    'VALIDATION_ERROR',
    `${type.name} cannot be sorted by ${sort.field}; it can by ${fields}${needed}.`,
  );
}

const sortable = ({ type, earlier }: QueryParameter): readonly string[] => [
  ...(type.sortedBySql ?? Object.keys(type.fields)),
  ...(earlier ? [CHANGE] : []),
];

/** A parameter as it is answered; `to` = where its range ends (epoch ms) if that is within its last day. */
type AnsweredParameter = Omit<QueryParameter, 'id' | 'notes' | 'earlier'> & { readonly to?: number };

/** The context of one parameter of a request. */
export function contextOf(
  { type, startDate, endDate, to, granularity, limit, isLimited, minSamples = 1 }: AnsweredParameter,
  {
    subject,
    zone,
    page,
    sort,
  }: Pick<QueryRequest, 'zone' | 'page' | 'sort'> & { subject: Pick<QueryRequest['subject'], 'id' | 'zone'> },
  filters: readonly ValueFilter[],
  { table, website, latestDay, now, buckets }: Pick<Snapshot, 'table' | 'website' | 'latestDay' | 'now' | 'buckets'>,
): QueryContext {
  const days = { startDate, endDate };
  const instants = instantsOf(days, zone);
  const range = { ...instants, to: to ?? instants.to };
  return {
    website,
    latestDay,
    link: subject.id,
    ownZone: subject.zone,
    zone,
    ...days,
    ...range,
    granularity,
    buckets: type.shape === 'series' ? bucketsUpTo(range.to, buckets(days, zone, granularity)) : [],
    now,
    page: { page, limit },
    isLimited,
    sort,
    filters: filters.filter(({ field }) => field !== METRIC_FILTER),
    metricFilters: filters.filter(({ field }) => field === METRIC_FILTER),
    minSamples,
    table,
  };
}

/** The buckets of a range that may end within one of them. */
const bucketsUpTo = (end: number, buckets: readonly Bucket[]): readonly Bucket[] =>
  (buckets.at(-1)?.to ?? end) <= end
    ? buckets
    : buckets.filter(({ from }) => from < end).map((bucket) => ({ ...bucket, to: Math.min(bucket.to, end) }));

/** What was found about a range, before a page is cut out. */
export interface Found {
  /** All rows, except of a long list: then those up to the end of the page. */
  readonly rows: readonly Row[];
  /** How many rows a list has in all. */
  readonly total?: number;
}

/** Where rows come from: the sessions that the types of a request share, or, in tests, a given source. */
export interface RowSource {
  /** The main database, for what no read store has. */
  readonly main: Queryable;
  readonly sessions?: RequestSessions;
  readonly source?: Source | undefined;
  /** What bounds the rows of a body; in tests there may be none. */
  readonly bounds?: { readonly budget: ResponseSizeLimit; readonly deadline: Deadline };
}

/** The rows from the source that the planner chooses. */
export async function findRows(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  origin: RowSource,
): Promise<Found> {
  if (type.shape === 'series' && context.buckets.length === 0) return { rows: [] };
  const found = (await fromSessions(on, type, context, origin)) ?? (await fromSource(on, type, context, origin));
  const rows = await rowsOf(type, context, found);
  return type.shape === 'list' ? { rows, total: await totalOf(on, type, context, found) } : { rows };
}

/** From what the request's types share; undefined if not. */
async function fromSessions(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  { source, sessions }: RowSource,
): Promise<readonly SqlRow[] | undefined> {
  if (source || !type.aggregateInMemory) return undefined;
  const matching = await sessions?.in(context);
  return matching && type.aggregateInMemory.rows(matching, context, on);
}

async function fromSource(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  { main, source = sourceFor(type, context), bounds }: RowSource,
): Promise<readonly SqlRow[]> {
  const query = sqlFor(type, context, source);
  const mayBeLarge = type.sortedBySql !== undefined && context.page.limit > ROWS_OF_SLICE;
  const found = await (bounds && mayBeLarge ? readInSlices(on, query, bounds) : run<SqlRow>(on, query));
  return type.addUp?.[source]?.(found, context, on) ?? type.complete?.(found, main) ?? found;
}

/** How many rows a list has: the SQL says so, or it found all of them, or they are counted. */
async function totalOf(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  found: readonly SqlRow[],
): Promise<number> {
  const { page, sort } = context;
  const [first] = found;
  if (first && 'total_rows' in first) return numberIn(first, 'total_rows');
  const isWhole = sort !== null || type.pagesFromNewest || found.length < page.page * page.limit;
  if (!type.sortedBySql && isWhole) return found.length;
  const every = { ...context, page: EVERY_ROW };
  const rows = type.countRows?.(context) ?? sqlFor(type, every);
  const count = type.countRows ? rows : sql`select count(*)::float8 as total_rows from (${rows}) every_row`;
  const [row] = await run<SqlRow>(on, count);
  return numberIn(row ?? emptyRow(), 'total_rows');
}

/** The SQL that answers a query type. */
export function sqlFor(type: QueryType, context: QueryContext, source = sourceFor(type, context)): Sql {
  const render = type.sources[source];
  if (!render) throw new Error(`${type.name} cannot be answered from ${source}.`);
  return render(context);
}

/**
 * The planner. Without filters: rollups of 15 minutes in any time zone, rollups of days and hours in the website's own.
 * Facts otherwise. Where both apply they give the same rows, but for figures from histograms (within 1 %) and the order
 * of rows by them.
 */
function sourceFor({ sources, shape }: QueryType, context: QueryContext): Source {
  if (context.filters.length > 0) return 'facts';
  if (sources.fifteenMinutes) return 'fifteenMinutes';
  if (!hasDays(context)) return 'facts';
  const wanted = shape === 'series' && context.granularity === 'hourly' ? 'hours' : 'days';
  return sources[wanted] ? wanted : 'facts';
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
