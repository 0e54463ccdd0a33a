import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { instantsOf, type Bucket } from '@ledgerline/domain/query/buckets';
import type { Row } from '@ledgerline/domain/query/rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { traced } from '@ledgerline/platform/tracing/tracing';
import { mapInSlices } from '@ledgerline/platform/log/yield-to-event-loop';
import { emptyRow, numberIn, numberOrNull, type SqlRow } from '../fields';
import type { RequestCounts } from '../session-columns/request-counts';
import {
  EVERY_ROW,
  METRIC_FILTER,
  type QueryContext,
  type QueryType,
  type Source,
  type ValueFilter,
} from '../query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { checkFilters } from './check-filters';
import { CHANGE } from './comparison';
import { plan, type Executor } from './plan';
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
  const days = type.daysOf?.(now, zone) ?? { startDate, endDate };
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

/** What rows come from. */
export interface RowOrigin {
  /** The main database, for what no read store has. */
  readonly main: Queryable;
  /** Counts the types of the request that are answered from columns. */
  readonly counts: RequestCounts;
  /** Is given each type with what executes it. */
  readonly onPlan?: (type: string, executor: Executor) => void;
  /** In tests: what the rows are to come from, instead of what is planned. */
  readonly source?: Source | 'sessionColumns' | undefined;
}

/** The rows of a type, executed as planned. */
export async function findRows(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  origin: RowOrigin,
): Promise<Found> {
  if (type.shape === 'series' && context.buckets.length === 0) return { rows: [] };
  const planned = plan(type, context);
  origin.onPlan?.(type.name, planned.executor);
  const source = origin.source ?? planned.source ?? 'sessionColumns';
  const isCounted = source === 'sessionColumns';
  const counted = isCounted ? await origin.counts.rowsOf(type, context) : undefined;
  const found = await (counted
    ? fromCounted(on, type, context, counted)
    : fromSql(on, type, context, { ...origin, source: source as Source }));
  const rows = await rowsOf(type, context, found);
  if (type.shape !== 'list') return { rows };
  const total = totalIn(type, context, counted ?? found);
  return { rows, total: total ?? counted?.length ?? (await countRows(on, type, context)) };
}

/** Rows of lists of single events are read from facts by the times that were found. */
async function fromCounted(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  counted: readonly SqlRow[],
): Promise<readonly SqlRow[]> {
  const [first] = counted;
  if (!type.sources.facts || !first) return counted;
  const times = counted.flatMap((row) => numberOrNull(row, 'at') ?? []);
  const found = { times, skipped: numberIn(first, 'skipped') };
  return runTraced(on, type.name, type.sources.facts({ ...context, found }));
}

async function fromSql(
  on: Queryable,
  type: QueryType,
  context: QueryContext,
  { main, counts, source }: Pick<RowOrigin, 'main' | 'counts'> & { readonly source: Source },
): Promise<readonly SqlRow[]> {
  const found = await runTraced(on, type.name, sqlFor(type, context, source));
  const addUp = type.addUp?.[source];
  if (addUp) return counts.withTexts(type, context, await addUp(found, context, on));
  return type.complete?.(found, main) ?? found;
}

/** `summary` stands for the statement, which is long and in `types/rendered`. */
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

async function countRows(on: Queryable, type: QueryType, context: QueryContext): Promise<number> {
  const rows = type.countRows?.(context) ?? sqlFor(type, { ...context, page: EVERY_ROW });
  const count = type.countRows ? rows : sql`select count(*)::float8 as total_rows from (${rows}) every_row`;
  const [row] = await runTraced(on, `${type.name} count`, count);
  return numberIn(row ?? emptyRow(), 'total_rows');
}

/** The SQL that answers a query type. */
export function sqlFor(type: QueryType, context: QueryContext, source = plan(type, context).source ?? 'facts'): Sql {
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
