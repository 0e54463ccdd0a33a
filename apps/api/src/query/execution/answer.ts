import { alternativesOf, type SelectingFilter, selectsHits } from '@ledgerline/aggregation/aggregation';
import { METRIC_FILTER } from '@ledgerline/contracts/attributes';
import { bucketsWithin, instantsOf, type Bucket } from '@ledgerline/domain/query/buckets';
import type { Days } from '@ledgerline/domain/query/date-range';
import {
  comparingRows,
  newestPageOf,
  type Order,
  type Page,
  pageOf,
  type Row,
  sortedPlaces,
} from '@ledgerline/domain/query/rows';
import { dayOf } from '@ledgerline/domain/time/zones';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import {
  CHANGE,
  roundEstimates,
  minimumOf,
  emptyRow,
  numberIn,
  textIn,
  type Field,
  type SqlRow,
} from '../declaration/fields';
import { EVERY_ROW, type QueryContext, type Question } from '../declaration/query-context';
import type { QueryType, Services } from '../declaration/query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import { targetIds } from '../request/query-targets';
import type { AggregateTask } from '../session-columns/aggregate-task';
import type { ResponseSizeLimit } from '../session-columns/memory-budget';
import type { Snapshot } from '../snapshot/snapshot';
import { withProfileKeys } from '../sql/rows';
import { firstCountOf, withComparison } from './comparison';
import type { Execution } from './run-sql';
import { plan, pagesFromNewest } from './executors';
import type { ParameterResult } from './response';

type ContextRequest = Pick<QueryRequest, 'subject' | 'zone' | 'page' | 'sort' | 'segment'>;

/** The context of one parameter of a request. */
export function contextOf(
  parameter: Omit<QueryParameter, 'id' | 'notes' | 'earlier'>,
  { subject, zone, page, sort, segment }: ContextRequest,
  filters: readonly SelectingFilter[],
  { buckets, now, includedQuarter, website, table, rollups }: Snapshot,
): QueryContext {
  const { type, granularity, limit, isLimited, minSamples, minutes, options } = parameter;
  const range = rangeOf(parameter, zone, now);
  const minimum = minimumOf(type);
  return {
    ...range,
    link: subject.id,
    ids: targetIds(subject),
    isPaused: subject.isPaused ?? false,
    ownZone: subject.zone,
    zone,
    granularity,
    buckets: type.shape === 'series' ? bucketsWithin(range, buckets(range, zone, granularity)) : [],
    now,
    includedQuarter,
    page: { page, limit },
    isLimited,
    sort,
    filters: filters.filter((filter) => !isOfMetrics(filter)),
    shareFilters: filters.slice(0, subject.filters?.length ?? 0).filter(selectsHits),
    metricFilters: filters.filter(isOfMetrics),
    minSamples: minimum ? (minSamples ?? minimum.byDefault) : 1,
    minutes,
    options,
    did: segment?.did ?? [],
    visitorIdentity: subject.visitorIdentity,
    website,
    table,
    rollups,
  };
}

type RangedParameter = Pick<QueryParameter, 'type' | 'startDate' | 'endDate' | 'from' | 'to'>;

/** Today for a type about it; `from` and `to` = where the range begins and ends (epoch ms) within its days. */
function rangeOf({ type, startDate, endDate, from, to }: RangedParameter, zone: string, now: number) {
  const today = dayOf(now, zone);
  const days: Days = type.range === 'today' ? { startDate: today, endDate: today } : { startDate, endDate };
  const instants = instantsOf(days, zone);
  if (type.range === 'today') return { ...days, ...instants };
  return { ...days, from: from ?? instants.from, to: to ?? instants.to };
}

const isOfMetrics = (filter: SelectingFilter): boolean =>
  alternativesOf(filter).every(({ field }) => field === METRIC_FILTER);

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
  request: ContextRequest,
  filters: readonly SelectingFilter[],
  snapshot: Snapshot,
): ParameterContexts {
  const { earlier } = parameter;
  const page = contextOf(parameter, request, filters, snapshot);
  const rows = page.sort?.field === CHANGE ? { ...page, page: EVERY_ROW } : page; // known when all are compared
  const isCut = parameter.type.shape === 'list' && page.minSamples > 1;
  const all = isCut ? { all: { ...page, minSamples: 1, page: ONE_ROW, sort: null } } : {};
  if (!earlier) return { page, rows, ...all };
  const range = { from: undefined, ...earlier, minSamples: 1 }; // beside any row
  const before = contextOf({ ...parameter, ...range }, request, filters, snapshot);
  return { page, rows, earlier: { ...before, page: EVERY_ROW }, ...all };
}

/** Enough for how many there are. */
const ONE_ROW = { page: 1, limit: 1 };

/** So many rows are read at once of lists of single things, which may be long. */
const ROWS_AT_ONCE = 10_000;

/** The pages in which all rows are read. */
export function partsOf({ sources }: QueryType, contexts: ParameterContexts): readonly ParameterContexts[] {
  const { limit } = contexts.page.page;
  if (!sources.singles || limit <= ROWS_AT_ONCE) return [contexts];
  return Array.from({ length: Math.ceil(limit / ROWS_AT_ONCE) }, (_, at) => {
    const page = { ...contexts.page, page: { page: at + 1, limit: ROWS_AT_ONCE } };
    return { ...contexts, page, rows: page };
  });
}

/** What is aggregated for it. */
export const tasksOf = (type: QueryType, contexts: ParameterContexts): readonly AggregateTask[] =>
  [...partsOf(type, contexts).map(({ rows }) => rows), contexts.earlier, contexts.all]
    .filter((context) => context !== undefined)
    .flatMap((context) => plan(type, context).executor.aggregate?.(type, context) ?? []);

/** The rows of the page; with a comparison, beside the figures of the earlier range. */
export async function answerParameter(
  type: QueryType,
  contexts: ParameterContexts,
  execution: Execution,
): Promise<ParameterResult> {
  try {
    return await findPage(type, contexts, execution);
  } finally {
    execution.aggregates.release();
  }
}

async function findPage(type: QueryType, contexts: ParameterContexts, execution: Execution): Promise<ParameterResult> {
  const { deadline, client } = execution;
  const find = (context: QueryContext) => deadline.within(client, () => findRows(type, context, execution));
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

/** The first rows of all, as many as the response has room for. */
export async function answerWhole(
  type: QueryType,
  contexts: ParameterContexts,
  execution: Execution,
  budget: ResponseSizeLimit,
): Promise<ParameterResult> {
  const parts: ParameterResult[] = [];
  for (const part of partsOf(type, contexts)) {
    const found = await answerParameter(type, part, execution);
    const rows = await budget.fit(found.rows);
    parts.push({ ...found, rows });
    if (rows.length < part.page.page.limit) break;
  }
  const [first = { rows: [], hidden: 0 }] = parts;
  return { ...first, rows: parts.flatMap(({ rows }) => rows) };
}

/** How many rows of a series have no estimates for want of samples. */
function poorRows(type: QueryType, { page: { minSamples } }: ParameterContexts, rows: readonly Row[]) {
  const minimum = minimumOf(type);
  if (!minimum || type.shape !== 'series') return 0;
  return rows.filter((row) => Number(row[minimum.of]) > 0 && Number(row[minimum.of]) < minSamples).length;
}

/** The rows of the page, in order. Totals, and a series without a limit, are page 1 and have no other. */
export async function pageOfRows(
  type: QueryType,
  { sort, page, isLimited }: Pick<Question, 'sort' | 'page' | 'isLimited'>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (type.sources.singles || type.arrange) return rows;
  const isWhole = type.shape === 'totals' || (type.shape === 'series' && !isLimited);
  if (isWhole && page.page > 1) return [];
  const cut = isWhole ? EVERY_ROW : page;
  return pagesFromNewest(type) && !sort ? newestPageOf(rows, cut) : sortedPage(type, sort, rows, cut);
}

async function sortedPage(type: QueryType, sort: Order | null, rows: readonly Row[], cut: Page): Promise<Row[]> {
  const compare = comparingRows([...(sort ? [orderBy(type, sort)] : []), ...type.order]);
  const ofPlaces = (a: number, b: number) => compare(rows[a] ?? {}, rows[b] ?? {});
  const places = await sortedPlaces(rows.length, ofPlaces, yieldToEventLoop());
  return Array.from(pageOf(places, cut), (place) => rows[place] ?? {});
}

/** By the change of its first count, or by a field of its own. */
const orderBy = (type: QueryType, sort: Order): Order =>
  sort.field === CHANGE
    ? { ...sort, member: firstCountOf(type) }
    : { ...sort, values: type.fields[sort.field]?.values };

/** The rows of a type before a page is cut out, executed as planned or, in tests, as forced. */
export async function findRows(
  type: QueryType,
  context: QueryContext,
  execution: Execution<Queryable>,
  executor = plan(type, context).executor,
): Promise<ParameterResult> {
  const isOfNothing = type.shape === 'series' ? context.buckets.length === 0 : false;
  if (isOfNothing || context.options.goals?.length === 0)
    return { rows: [], total: type.shape === 'list' ? 0 : undefined };
  execution.onPlan(type.name, type.sources.own?.name ?? executor.name);
  const { rows, ...found } = await executor.run({ type, context, execution });
  return { rows: await rowsOf(type, context, await lookedUp(type, context, rows, execution)), ...found };
}

/** Adds the columns of fields that only the main database has. */
async function lookedUp(
  { fields }: QueryType,
  { link: websiteId }: Question,
  rows: readonly SqlRow[],
  { main, targets }: Services,
): Promise<readonly SqlRow[]> {
  const isWanted = (from: Field['from']) => Object.values(fields).some((field) => field.from === from);
  if (isWanted('profiles')) return withProfileKeys(rows, main);
  if (!isWanted('links')) return rows;
  const names = await targets.linkNames(
    websiteId,
    rows.map((row) => textIn(row, 'text')).filter((id) => id !== ''),
  );
  return rows.map((row) => {
    const { name = null, externalId = null } = names.get(textIn(row, 'text')) ?? {};
    return { ...row, name, external_id: externalId };
  });
}

/** A list may have a million rows, and requests of others go on meanwhile. */
async function rowsOf(
  type: QueryType,
  { buckets, options }: Question,
  found: readonly SqlRow[],
): Promise<readonly Row[]> {
  switch (type.shape) {
    case 'totals':
      return [type.row(found[0] ?? emptyRow())];
    case 'series':
      return seriesOf(type, buckets, found);
    case 'list':
      return mapInSlices(found, (row) => type.row(row, options));
  }
}

/** A row for each bucket, or of each bucket for each value that the series is split by. */
function seriesOf({ fields, row }: QueryType, buckets: readonly Bucket[], found: readonly SqlRow[]): Row[] {
  const splitBy = Object.values(fields).find((field) => field.splitBy !== undefined)?.splitBy;
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
