import { METRIC_FILTER } from '@ledgerline/contracts/attributes';
import { alternativesOf, type SelectingFilter, selectsHits } from '@ledgerline/aggregation/aggregation';
import { bucketsWithin, instantsOf } from '@ledgerline/domain/query/buckets';
import type { Days } from '@ledgerline/domain/query/date-range';
import { dayOf } from '@ledgerline/domain/time/zones';
import { CHANGE, minimumOf } from '../declaration/fields';
import { EVERY_ROW, type QueryContext } from '../declaration/query-context';
import type { QueryType } from '../declaration/query-type';
import type { QueryParameter } from '../request/read-parameter';
import type { QueryRequest } from '../request/read-requests';
import type { AskedCount } from '../session-columns/counted-type';
import type { Snapshot } from '../snapshot/snapshot';
import { plan } from './executors';

type AskingRequest = Pick<QueryRequest, 'subject' | 'zone' | 'page' | 'sort' | 'segment'>;

/** The context of one parameter of a request. */
export function contextOf(
  parameter: Omit<QueryParameter, 'id' | 'notes' | 'earlier'>,
  { subject, zone, page, sort, segment }: AskingRequest,
  filters: readonly SelectingFilter[],
  { buckets, now, includedQuarter, website, table, rollups }: Snapshot,
): QueryContext {
  const { type, granularity, limit, isLimited, minSamples, minutes, options } = parameter;
  const range = rangeOf(parameter, zone, now);
  const minimum = minimumOf(type);
  return {
    ...range,
    link: subject.id,
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
  request: AskingRequest,
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

/** What of it is counted. */
export const countedTypes = (type: QueryType, contexts: ParameterContexts): readonly AskedCount[] =>
  [...partsOf(type, contexts).map(({ rows }) => rows), contexts.earlier, contexts.all]
    .filter((context) => context !== undefined)
    .flatMap((context) => plan(type, context).executor.counted?.(type, context) ?? []);
