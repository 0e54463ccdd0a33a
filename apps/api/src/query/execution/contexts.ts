import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { METRIC_FILTER } from '@ledgerline/contracts/attributes';
import type { FieldFilter, Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { alternativesOf, type SelectingFilter, selectsHits } from '@ledgerline/aggregation/aggregation';
import { bucketsWithin, instantsOf } from '@ledgerline/domain/query/buckets';
import { alternativesIn, isAnyOf, isNumberOp } from '@ledgerline/domain/query/filters';
import type { Days } from '@ledgerline/domain/query/date-range';
import { closest } from '@ledgerline/domain/query/suggestion';
import { dayOf } from '@ledgerline/domain/time/zones';
import type { Snapshot } from '../snapshot/snapshot';
import {
  EVERY_ROW,
  isComparable,
  isIdFilter,
  minimumOf,
  type QueryContext,
  type QueryType,
} from '../declaration/query-type';
import { wrongOption, type ParameterOptions } from '../declaration/options';
import { checkOptions } from '../request/read-options';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import type { AskedCount } from '../session-columns/counted-type';
import { plan } from './executors';

/** What rows that are compared have beside their fields; they can be sorted by the change of their first count. */
export const CHANGE = 'change_percent';

/** @throws Problem if its type does not support a filter, sort field or number of samples or minutes that is asked for, or lacks a filter it needs */
export function checkSupported(
  parameter: QueryParameter,
  request: Pick<QueryRequest, 'filters' | 'sort' | 'parameters' | 'segment' | 'subject'>,
): void {
  const { type, options, unresolved } = parameter;
  const { filters, sort, parameters, segment } = request;
  if (unresolved) throw unresolved;
  checkFilters(type, filters);
  if (segment) checkSegment(type, segment);
  checkOptions(type, options);
  type.takes.check?.({ options, visitorIdentity: request.subject.visitorIdentity });
  checkMinSamples(parameter);
  checkMinutes(parameter);
  if (!sort) return;
  // a single row needs no order, so that it may be asked for beside lists with other fields
  const sorted = type.shape === 'totals' ? parameters : [parameter];
  if (sorted.some((each) => sortable(each).includes(sort.field))) return;
  const fields = sortable(parameter).join(', ');
  const needed = sort.field === CHANGE && isComparable(type) ? `, and with compare by ${CHANGE}` : '';
  throw new Problem(
    'VALIDATION_ERROR',
    `${type.name} cannot be sorted by ${sort.field}; it can by ${fields}${needed}.`,
  );
}

const sortable = ({ type, earlier }: QueryParameter): readonly string[] => [
  ...(type.arrange ? [] : (type.sources.singles?.sortedBy ?? Object.keys(type.fields))),
  ...(earlier ? [CHANGE] : []),
];

/** @throws Problem if a minimum is asked of a type that has none */
function checkMinSamples({ type, minSamples }: QueryParameter): void {
  if (minSamples === undefined || minimumOf(type)) return;
  throw wrongOption('minSamples', `${type.name} has no minimum; give minSamples to the parameters that have one.`);
}

/** @throws Problem if minutes are asked of a type that is not about the last ones */
function checkMinutes({ type, minutes }: QueryParameter): void {
  if (minutes === undefined || type.range === 'minutes') return;
  throw wrongOption('minutes', `${type.name} is not about the last minutes; give minutes to the parameters that are.`);
}

/** @throws Problem if the type does not know a filter of the segment, or is read from what has no sessions of others */
function checkSegment(type: QueryType, { filters, did }: SegmentDefinition): void {
  const errors = errorsIn(type, filters, 'segment.filters');
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
  if (did.length === 0) return;
  if (type.sources.facts || !type.sessionColumns)
    throw wrongOption('segment', `${type.name} lists single things and takes only segments without did.`);
}

/** @throws Problem if the type does not know a filter, or lacks one it needs */
export function checkFilters(type: QueryType, filters: readonly Filter[]): void {
  const errors = [...errorsIn(type, filters, 'filters'), ...missingIn(type, filters)];
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
}

const errorsIn = (type: QueryType, filters: readonly Filter[], list: string): FieldError[] =>
  filters.flatMap((filter, at) =>
    alternativesIn(filter).flatMap((alternative, nth) =>
      wrongIn(type, alternative, isAnyOf(filter)).map((error) => ({
        ...error,
        field: `${list}[${at}]${isAnyOf(filter) ? `.any[${nth}]` : ''}`,
      })),
    ),
  );

function wrongIn(type: QueryType, { field, op }: FieldFilter, isOneOfSeveral: boolean): Omit<FieldError, 'field'>[] {
  if (!type.takes.filters.includes(field)) return [unknownField(type, field)];
  if (isNumberOp(op)) return [{ message: `The op ${op} compares numbers; the values of ${field} are texts.` }];
  if (!isIdFilter(field)) return [];
  if (isOneOfSeveral) return [{ message: `The filter ${field} stands alone, and not in any.` }];
  if (op === 'eq' || op === 'in') return [];
  return [{ message: `The filter ${field} takes only the ops eq and in.` }];
}

function unknownField({ name, takes: { filters } }: QueryType, field: string): Omit<FieldError, 'field'> {
  const suggestion = closest(field, filters) ?? filters.find((allowed) => allowed.startsWith(`${field}_`));
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return {
    message: `${name} has no filter ${field}; it has ${filters.join(', ') || 'none'}.${meant}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const missingIn = ({ name, takes }: QueryType, filters: readonly Filter[]): FieldError[] =>
  takes.ids
    .filter((required) => !filters.some((filter) => !isAnyOf(filter) && filter.field === required))
    .map((field) => ({
      field: 'filters',
      message: `${name} needs a filter on ${field}, such as {"field":"${field}","op":"eq","value":"…"}.`,
    }));

/** A parameter as it is answered; `from` and `to` = where its range begins and ends (epoch ms) within its days. */
type AnsweredParameter = Omit<QueryParameter, 'id' | 'notes' | 'earlier' | 'options'> & {
  readonly options?: ParameterOptions;
};

interface ContextOfRequest extends Pick<QueryRequest, 'zone' | 'page' | 'sort'> {
  readonly segment?: Pick<SegmentDefinition, 'did'> | null;
  readonly subject: Pick<QueryRequest['subject'], 'id' | 'isPaused' | 'zone'> &
    Partial<Pick<QueryRequest['subject'], 'visitorIdentity' | 'filters'>>;
}

type ContextOfTables = Pick<Snapshot, 'table' | 'rollups' | 'website' | 'now' | 'buckets' | 'includedQuarter'>;

/** The context of one parameter of a request. */
export function contextOf(
  {
    type,
    startDate,
    endDate,
    from,
    to,
    granularity,
    limit,
    isLimited,
    minSamples,
    minutes,
    options = {},
  }: AnsweredParameter,
  { subject, zone, page, sort, segment }: ContextOfRequest,
  filters: readonly SelectingFilter[],
  { table, rollups, website, now, buckets, includedQuarter }: ContextOfTables,
): QueryContext {
  const minimum = minimumOf(type);
  const isOfToday = type.range === 'today';
  const days = isOfToday ? today(now, zone) : { startDate, endDate };
  const instants = instantsOf(days, zone);
  const range = isOfToday ? instants : { from: from ?? instants.from, to: to ?? instants.to };
  return {
    website,
    link: subject.id,
    isPaused: subject.isPaused ?? false,
    ownZone: subject.zone,
    zone,
    ...days,
    ...range,
    granularity,
    buckets: type.shape === 'series' ? bucketsWithin(range, buckets(days, zone, granularity)) : [],
    now,
    page: { page, limit },
    isLimited,
    sort,
    filters: filters.filter((filter) => !isOfMetrics(filter)),
    shareFilters: filters.slice(0, subject.filters?.length ?? 0).filter(selectsHits),
    metricFilters: filters.filter(isOfMetrics),
    minSamples: minimum ? (minSamples ?? minimum.byDefault) : 1,
    minutes,
    table,
    rollups,
    options,
    did: segment?.did ?? [],
    visitorIdentity: subject.visitorIdentity ?? 'stable',
    includedQuarter,
  };
}

const isOfMetrics = (filter: SelectingFilter): boolean =>
  alternativesOf(filter).every(({ field }) => field === METRIC_FILTER);

const today = (now: number, zone: string): Days => ({ startDate: dayOf(now, zone), endDate: dayOf(now, zone) });

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
  parameter: Omit<QueryParameter, 'id' | 'notes' | 'options'> & Pick<AnsweredParameter, 'options'>,
  request: ContextOfRequest,
  filters: readonly SelectingFilter[],
  snapshot: ContextOfTables,
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
