import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { instantsOf, type Bucket } from '@ledgerline/domain/query/buckets';
import { comparingRows, newestPageOf, pageOf, type Order, type Row } from '@ledgerline/domain/query/rows';
import { sortedPlaces } from '@ledgerline/domain/query/sorted-places';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { SIGNIFICANT_DIGITS } from '../fields';
import type { ValueFilter } from '@ledgerline/domain/counting/asked';
import { EVERY_ROW, METRIC_FILTER, type QueryContext, type QueryType } from '../query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import type { AskedCount } from '../session-columns/request-counts';
import { CHANGE, firstCountOf, withComparison } from './comparison';
import { checkFilters } from './filters';
import { findRows, type Found, type RowOrigin } from './find-rows';
import { countFor, plan } from './plan';
import type { ResponseSizeLimit } from './response';
import type { Snapshot, SnapshotReader } from './snapshot';

/** @throws Problem if its type does not support a filter, sort field or number of samples that is asked for, or lacks a filter it needs */
export function checkSupported(
  parameter: QueryParameter,
  { filters, sort, parameters }: Pick<QueryRequest, 'filters' | 'sort' | 'parameters'>,
): void {
  const { type } = parameter;
  checkFilters(type, filters);
  checkMinSamples(parameter);
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

/** @throws Problem if a minimum is asked of a type that has none */
function checkMinSamples({ type, minSamples }: QueryParameter): void {
  if (minSamples === undefined || type.minimum) return;
  const message = `${type.name} has no minimum and takes no minSamples; give it to the parameters that have one.`;
  throw new Problem('VALIDATION_ERROR', message, [{ field: 'minSamples', message }]);
}

/** A parameter as it is answered; `to` = where its range ends (epoch ms) if that is within its last day. */
type AnsweredParameter = Omit<QueryParameter, 'id' | 'notes' | 'earlier'> & { readonly to?: number };

/** The context of one parameter of a request. */
export function contextOf(
  { type, startDate, endDate, to, granularity, limit, isLimited, minSamples }: AnsweredParameter,
  {
    subject,
    zone,
    page,
    sort,
  }: Pick<QueryRequest, 'zone' | 'page' | 'sort'> & {
    subject: Pick<QueryRequest['subject'], 'id' | 'isPaused' | 'zone'>;
  },
  filters: readonly ValueFilter[],
  {
    table,
    hasKeptCounts,
    website,
    now,
    buckets,
  }: Pick<Snapshot, 'table' | 'hasKeptCounts' | 'website' | 'now' | 'buckets'>,
): QueryContext {
  const days = type.daysOf?.(now, zone) ?? { startDate, endDate };
  const instants = instantsOf(days, zone);
  const range = { ...instants, to: to ?? instants.to };
  return {
    website,
    link: subject.id,
    isPaused: subject.isPaused ?? false,
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
    minSamples: type.minimum ? (minSamples ?? type.minimum.byDefault) : 1,
    table,
    hasKeptCounts,
  };
}

/** The buckets of a range that may end within one of them. */
const bucketsUpTo = (end: number, buckets: readonly Bucket[]): readonly Bucket[] =>
  (buckets.at(-1)?.to ?? end) <= end
    ? buckets
    : buckets.filter(({ from }) => from < end).map((bucket) => ({ ...bucket, to: Math.min(bucket.to, end) }));

/** What a parameter is answered from. */
export interface ParameterContexts {
  readonly page: QueryContext;
  /** Of the rows that the page is cut out of. */
  readonly rows: QueryContext;
  /** Of the earlier range that they are compared with. */
  readonly earlier?: QueryContext;
  /** Of a list with a minimum: of all rows, whatever they have. */
  readonly all?: QueryContext;
}

export function contextsOf(
  parameter: Omit<QueryParameter, 'id' | 'notes'>,
  request: Parameters<typeof contextOf>[1],
  filters: readonly ValueFilter[],
  snapshot: SnapshotReader['snapshot'],
): ParameterContexts {
  const { earlier } = parameter;
  const page = contextOf(parameter, request, filters, snapshot);
  const rows = page.sort?.field === CHANGE ? { ...page, page: EVERY_ROW } : page; // known when all are compared
  const isCut = parameter.type.shape === 'list' && page.minSamples > 1;
  const all = isCut ? { all: { ...page, minSamples: 1, page: ONE_ROW, sort: null } } : {};
  if (!earlier) return { page, rows, ...all };
  const before = contextOf({ ...parameter, ...earlier, minSamples: 1 }, request, filters, snapshot); // beside any row
  return { page, rows, earlier: { ...before, page: EVERY_ROW }, ...all };
}

/** Enough for how many there are. */
const ONE_ROW = { page: 1, limit: 1 };

/** What of it is counted. */
export const countedTypes = (type: QueryType, contexts: ParameterContexts): readonly AskedCount[] =>
  [...partsOf(type, contexts).map(({ rows }) => rows), contexts.earlier, contexts.all]
    .filter((context) => context !== undefined)
    .flatMap((context) => countFor(type, context, plan(type, context).executor) ?? []);

export interface Answer extends Found {
  /** How many rows, or in a series the estimates of how many, its minimum leaves out. */
  readonly hidden: number;
}

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  type: QueryType,
  contexts: ParameterContexts,
  { client, deadline, ...origin }: Pick<SnapshotReader, 'client' | 'deadline'> & RowOrigin,
): Promise<Answer> {
  const find = (context: QueryContext) => deadline.within(client, () => findRows(client, type, context, origin));
  const { rows: exact, ...counted } = await find(contexts.rows);
  const rows = await roundEstimates(type, exact);
  const every = contexts.all && (await find(contexts.all));
  const found = {
    ...counted,
    hidden: every ? (every.total ?? 0) - (counted.total ?? 0) : poorRows(type, contexts, exact),
  };
  if (!contexts.earlier) return { ...found, rows: await pageOfRows(type, contexts.page, rows) };
  const { rows: previous } = await find({ ...contexts.earlier, beside: rows });
  const compared = await withComparison(type, rows, await roundEstimates(type, previous));
  return { ...found, rows: await pageOfRows(type, contexts.page, compared) };
}

/** So many rows are read at once of lists of single things, which may be long. */
const ROWS_AT_ONCE = 10_000;

/** The pages in which all rows are read. */
function partsOf({ sortedBySql }: QueryType, contexts: ParameterContexts): readonly ParameterContexts[] {
  const { limit } = contexts.page.page;
  if (!sortedBySql || limit <= ROWS_AT_ONCE) return [contexts];
  return Array.from({ length: Math.ceil(limit / ROWS_AT_ONCE) }, (_, at) => {
    const page = { ...contexts.page, page: { page: at + 1, limit: ROWS_AT_ONCE } };
    return { ...contexts, page, rows: page };
  });
}

/** The first rows of all, as many as the response has room for. */
export async function answerWhole(
  type: QueryType,
  contexts: ParameterContexts,
  origin: Parameters<typeof answerParameter>[2] & { readonly budget: ResponseSizeLimit },
): Promise<Answer> {
  const parts: Answer[] = [];
  for (const part of partsOf(type, contexts)) {
    const found = await answerParameter(type, part, origin);
    const rows = await origin.budget.fit(found.rows);
    parts.push({ ...found, rows });
    if (rows.length < part.page.page.limit) break;
  }
  const [first = { rows: [], hidden: 0 }] = parts;
  return { ...first, rows: parts.flatMap(({ rows }) => rows) };
}

/** How many rows of a series have no estimates for want of samples. */
function poorRows({ minimum, shape }: QueryType, { page: { minSamples } }: ParameterContexts, rows: readonly Row[]) {
  if (!minimum || shape !== 'series') return 0;
  return rows.filter((row) => Number(row[minimum.of]) > 0 && Number(row[minimum.of]) < minSamples).length;
}

/** The rows with the figures that are not exact rounded, whether they come from histograms or, exactly, from facts. */
export async function roundEstimates({ fields }: QueryType, rows: readonly Row[]): Promise<readonly Row[]> {
  const estimates = Object.keys(fields).filter((name) => fields[name]?.accuracy !== undefined);
  if (estimates.length === 0) return rows;
  return mapInSlices(rows, (row) => ({
    ...row,
    ...Object.fromEntries(estimates.map((name) => [name, rounded(row[name])])),
  }));
}

const rounded = (cell: unknown): unknown =>
  typeof cell === 'number' ? Number(cell.toPrecision(SIGNIFICANT_DIGITS)) : cell;

/** The rows of the page, in order. Totals, and a series without a limit, are page 1 and have no other. */
export async function pageOfRows(
  type: QueryType,
  { sort, page, isLimited }: Pick<QueryContext, 'sort' | 'page' | 'isLimited'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (type.sortedBySql) return rows;
  const isWhole = type.shape === 'totals' || (type.shape === 'series' && !isLimited);
  if (isWhole && page.page > 1) return [];
  const cut = isWhole ? EVERY_ROW : page;
  if (type.pagesFromNewest && !sort) return newestPageOf(rows, cut);
  const wanted = sort ? [orderBy(type, sort)] : [];
  const compare = comparingRows([...wanted, ...type.order]);
  const ofPlaces = (a: number, b: number) => compare(rows[a] ?? {}, rows[b] ?? {});
  const places = await sortedPlaces(rows.length, ofPlaces, yieldToEventLoop());
  return Array.from(pageOf(places, cut), (place) => rows[place] ?? {});
}

/** By the change of its first count, or by a field of its own. */
const orderBy = (type: QueryType, sort: Order): Order =>
  sort.field === CHANGE
    ? { ...sort, member: firstCountOf(type) }
    : { ...sort, values: type.fields[sort.field]?.values };
