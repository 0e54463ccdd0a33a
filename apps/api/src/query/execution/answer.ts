import { alternativesOf, type SelectingFilter, selectsHits } from '@ledgerline/aggregation/aggregation';
import { METRIC_FILTER } from '@ledgerline/contracts/attributes';
import { bucketsWithin, instantsOf } from '@ledgerline/domain/query/buckets';
import type { InclusiveDays } from '@ledgerline/domain/query/date-range';
import {
  comparingRows,
  newestRowsOfPage,
  type RowOrder,
  type PageRequest,
  rowsOfPage,
  type AnswerRow,
  sortedPlaces,
} from '@ledgerline/domain/query/rows';
import { dayOf } from '@ledgerline/domain/time/zones';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import {
  CHANGE,
  roundEstimates,
  emptyRow,
  minSamplesOf,
  textIn,
  type ResultField,
  type SqlRow,
} from '../declaration/fields';
import { EVERY_ROW, type QueryContext, type Question } from '../declaration/query-context';
import type { QueryType, Services } from '../declaration/query-type';
import { queryTargetIds } from '../request/query-targets';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import type { ResponseSizeLimit } from '../session-columns/memory-budget';
import type { Snapshot } from '../snapshot/snapshot';
import { withProfileKeys } from '../sql/rows';
import { checkParameter } from './check-parameter';
import { firstCountOf, withComparison } from './comparison';
import { pagesFromNewest, type PlannedQuery, planQuery } from './executors';
import type { AggregateTask, Execution } from './request-aggregates';
import { type ParameterResult, seriesOf } from './response';

type ContextRequest = Pick<QueryRequest, 'target' | 'zone' | 'page' | 'sort' | 'segment'>;

/** The context of one parameter of a request. */
export function contextOf(
  parameter: Omit<QueryParameter, 'id' | 'notes' | 'earlier'>,
  { target, zone, page, sort, segment }: ContextRequest,
  filters: readonly SelectingFilter[],
  { buckets, now, includedQuarter, website, table, rollups, expired }: Snapshot,
): QueryContext {
  const { type, granularity, limit, isLimited, minSamples, minutes, options } = parameter;
  const range = rangeOf(parameter, zone, now);
  const minimum = minSamplesOf(type);
  return {
    ...range,
    targetId: target.id,
    ids: queryTargetIds(target),
    isPaused: target.isPaused ?? false,
    ownZone: target.zone,
    zone,
    granularity,
    buckets: type.shape === 'series' ? bucketsWithin(range, buckets(range, zone, granularity)) : [],
    now,
    includedQuarter,
    page: { page, limit },
    isLimited,
    sort,
    filters: filters.filter((filter) => !isOfMetrics(filter)),
    shareFilters: filters.slice(0, target.filters?.length ?? 0).filter(selectsHits),
    metricFilters: filters.filter(isOfMetrics),
    minSamples: minimum ? (minSamples ?? minimum.byDefault) : 1,
    minutes,
    options,
    did: segment?.did ?? [],
    visitorIdentity: target.visitorIdentity,
    website,
    table,
    rollups,
    expired,
  };
}

type RangedParameter = Pick<QueryParameter, 'type' | 'startDate' | 'endDate' | 'from' | 'to'>;

/** Today for a type about it; `from` and `to` = where the range begins and ends (epoch ms) within its days. */
function rangeOf({ type, startDate, endDate, from, to }: RangedParameter, zone: string, now: number) {
  const today = dayOf(now, zone);
  const days: InclusiveDays = type.range === 'today' ? { startDate: today, endDate: today } : { startDate, endDate };
  const instants = instantsOf(days, zone);
  if (type.range === 'today') return { ...days, ...instants };
  return { ...days, from: from ?? instants.from, to: to ?? instants.to };
}

const isOfMetrics = (filter: SelectingFilter): boolean =>
  alternativesOf(filter).every(({ field }) => field === METRIC_FILTER);

/** The plan from which a parameter is answered; of one that cannot be answered, why. */
export interface PlannedParameter {
  readonly parameter: QueryParameter;
  readonly page: PageRequest;
  /** The rows that the page is cut out of: of a long list of single things in several parts, else in one. */
  readonly parts: readonly PlannedQuery[];
  /** The plan of the rows of the earlier range, of a comparison. */
  readonly earlier?: PlannedQuery | undefined;
  /** The plan of all rows of a list with a minimum, whatever they have. */
  readonly all?: PlannedQuery | undefined;
  readonly failure?: Error;
}

/** Plans a parameter, with all that is wrong with it. */
export function planParameter(
  parameter: QueryParameter,
  request: QueryRequest,
  filters: readonly SelectingFilter[],
  snapshot: Snapshot,
): PlannedParameter {
  const page = { page: request.page, limit: parameter.limit };
  try {
    checkParameter(parameter, request);
    return { parameter, page, ...plansOf(parameter, request, filters, snapshot) };
  } catch (error) {
    return { parameter, page, parts: [], failure: error as Error }; // nothing else is thrown
  }
}

function plansOf(
  parameter: QueryParameter,
  request: QueryRequest,
  filters: readonly SelectingFilter[],
  snapshot: Snapshot,
): Pick<PlannedParameter, 'parts' | 'earlier' | 'all'> {
  const { type, earlier: before } = parameter;
  const context = contextOf(parameter, request, filters, snapshot);
  const isCut = type.shape === 'list' && context.minSamples > 1;
  const all = isCut ? planQuery(type, { ...context, minSamples: 1, page: ONE_ROW, sort: null }) : undefined;
  const parts = pagesOf(type, context).map((page) => planQuery(type, { ...context, page }));
  if (!before) return { parts, all };
  const range = { from: undefined, ...before, minSamples: 1 }; // whatever the rows have that they are compared with
  const earlier = contextOf({ ...parameter, ...range }, request, filters, snapshot);
  return { parts, all, earlier: planQuery(type, { ...earlier, page: EVERY_ROW, isEarlier: true }) };
}

/** Enough for how many there are. */
const ONE_ROW = { page: 1, limit: 1 };

/** So many rows are read at once of lists of single things, which may be long. */
const ROWS_AT_ONCE = 10_000;

/** The pages in which the rows are read that the page is cut out of. */
function pagesOf({ sources }: QueryType, { page, sort }: QueryContext): readonly PageRequest[] {
  if (sort?.field === CHANGE) return [EVERY_ROW]; // it is known when all are compared
  if (!sources.singles || page.limit <= ROWS_AT_ONCE) return [page];
  const parts = Math.ceil(page.limit / ROWS_AT_ONCE);
  return Array.from({ length: parts }, (_, nth) => ({ page: nth + 1, limit: ROWS_AT_ONCE }));
}

/** Returns what is aggregated for a parameter. */
export const tasksOf = ({ parts, earlier, all }: PlannedParameter): readonly AggregateTask[] =>
  [...parts, earlier, all].flatMap((query) => query?.task ?? []);

/**
 * The rows of the page, beside the figures of the earlier range where they are compared; of a list that is wanted whole as
 * many as the response has room for.
 */
export async function answerParameter(
  planned: PlannedParameter,
  execution: Execution,
  budget: ResponseSizeLimit,
): Promise<ParameterResult> {
  const results: ParameterResult[] = [];
  for (const part of planned.parts) {
    const result = await findPage(planned, part, execution).finally(() => execution.aggregates.release());
    if (!planned.parameter.isWhole) {
      await budget.take(result.rows);
      return result;
    }
    const rows = await budget.fit(result.rows);
    results.push({ ...result, rows });
    if (rows.length < part.context.page.limit) break;
  }
  const [first = { hidden: 0 }] = results;
  return { ...first, rows: results.flatMap(({ rows }) => rows) };
}

async function findPage(
  { page, earlier, all }: PlannedParameter,
  part: PlannedQuery,
  execution: Execution,
): Promise<ParameterResult> {
  const { type, context } = part;
  const { deadline, client } = execution;
  const find = (query: PlannedQuery) => deadline.within(client, () => findRows(query, execution));
  const { rows: exact, ...counted } = await find(part);
  const rows = await roundEstimates(type, exact);
  const every = all && (await find(all));
  const hidden = every ? (every.total ?? 0) - (counted.total ?? 0) : poorRows(part, exact);
  const cut = { ...context, page };
  if (!earlier) return { ...counted, hidden, rows: await pageOfRows(type, cut, rows) };
  const { rows: previous } = await find(earlier);
  const compared = await withComparison(type, rows, await roundEstimates(type, previous));
  return { ...counted, hidden, rows: await pageOfRows(type, cut, compared) };
}

/** Counts how many rows of a series have no estimates for want of samples. */
function poorRows({ type, context: { minSamples } }: PlannedQuery, rows: readonly AnswerRow[]) {
  const minimum = minSamplesOf(type);
  if (!minimum || type.shape !== 'series') return 0;
  return rows.filter((row) => Number(row[minimum.of]) > 0 && Number(row[minimum.of]) < minSamples).length;
}

/** The rows of the page, in order. Totals, and a series without a limit, are page 1 and have no other. */
export async function pageOfRows(
  type: QueryType,
  { sort, page, isLimited }: Pick<Question, 'sort' | 'page' | 'isLimited'>,
  rows: readonly AnswerRow[],
): Promise<readonly AnswerRow[]> {
  if (type.sources.singles || type.arrange) return rows;
  const isWhole = type.shape === 'totals' || (type.shape === 'series' && !isLimited);
  if (isWhole && page.page > 1) return [];
  const cut = isWhole ? EVERY_ROW : page;
  return pagesFromNewest(type) && !sort ? newestRowsOfPage(rows, cut) : sortedPage(type, sort, rows, cut);
}

async function sortedPage(
  type: QueryType,
  sort: RowOrder | null,
  rows: readonly AnswerRow[],
  cut: PageRequest,
): Promise<AnswerRow[]> {
  const compare = comparingRows([...(sort ? [orderBy(type, sort)] : []), ...type.order]);
  const ofPlaces = (a: number, b: number) => compare(rows[a] ?? {}, rows[b] ?? {});
  const places = await sortedPlaces(rows.length, ofPlaces, yieldToEventLoop());
  return Array.from(rowsOfPage(places, cut), (place) => rows[place] ?? {});
}

/** By the change of its first count, or by a field of its own. */
const orderBy = (type: QueryType, sort: RowOrder): RowOrder =>
  sort.field === CHANGE
    ? { ...sort, member: firstCountOf(type) }
    : { ...sort, values: type.fields[sort.field]?.values };

/** The rows of a type before a page is cut out. */
export async function findRows(query: PlannedQuery, execution: Execution<Queryable>): Promise<ParameterResult> {
  const { type, context, executor } = query;
  const isOfNothing = type.shape === 'series' ? context.buckets.length === 0 : false;
  if (isOfNothing || context.options.goals?.length === 0)
    return { rows: [], total: type.shape === 'list' ? 0 : undefined };
  execution.onPlan(type.name, type.sources.own?.name ?? executor.name);
  const { rows, ...counted } = await executor.run(query, execution);
  return { rows: await rowsOf(type, context, await lookedUp(type, context, rows, execution)), ...counted };
}

/** Adds the columns of fields that only the main database has. */
async function lookedUp(
  { fields }: QueryType,
  { targetId: websiteId }: Question,
  rows: readonly SqlRow[],
  { main, targets }: Services,
): Promise<readonly SqlRow[]> {
  const isWanted = (from: ResultField['from']) => Object.values(fields).some((field) => field.from === from);
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
): Promise<readonly AnswerRow[]> {
  switch (type.shape) {
    case 'totals':
      return [type.row(found[0] ?? emptyRow())];
    case 'series':
      return seriesOf(type, buckets, found);
    case 'list':
      return mapInSlices(found, (row) => type.row(row, options));
  }
}
