import type { Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { isObject } from '@ledgerline/contracts/json';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { earlierRange, type EarlierRange } from '@ledgerline/domain/query/comparison';
import { type AskedDays, dateRange, type DateRequest, daysIn } from '@ledgerline/domain/query/date-range';
import type { RowOrder } from '@ledgerline/domain/query/rows';
import { closest } from '@ledgerline/domain/query/suggestion';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { ObjectsLeft } from '../../http/bounded';
import { invalid } from '../../http/problems';
import { WrongFields } from '../../http/wrong-fields';
import type { ParameterOptions } from '../declaration/options';
import { isComparable, type QueryType } from '../declaration/query-type';
import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import { OPTION_NAMES } from './parameter-options.dto';
import {
  DEFAULT_LIMIT,
  MAX_REQUESTS,
  parseRequest,
  type ParsedRequest,
  QueryRequestDto,
  MAX_ROWS,
  type ParameterDto,
} from './query-request.dto';
import { NO_DEFINITIONS, type Definitions, type QueryTarget } from './query-targets';
import { readSegment, readOptions } from './read-options';

/** One request of a body, with every name, date and time zone resolved. */
export interface QueryRequest extends AskedDays {
  readonly target: QueryTarget;
  /** The caller's own label. */
  readonly id: string;
  readonly parameters: readonly QueryParameter[];
  readonly filters: readonly Filter[];
  /** Null = all sessions. */
  readonly segment: SegmentDefinition | null;
  readonly page: number;
  readonly limit: number;
  readonly sort: RowOrder | null;
  readonly zone: string;
  readonly granularity: Granularity;
  readonly notes: readonly string[];
}

/**
 * The requests of a body: one, or a batch.
 * @throws Problem VALIDATION_ERROR with every wrong field of every request
 */
export function readRequests(
  body: unknown,
  timezone: unknown,
  target: QueryTarget,
  {
    now,
    isCsv = false,
    definitions = NO_DEFINITIONS,
  }: { readonly now: number; readonly isCsv?: boolean; readonly definitions?: Definitions },
): QueryRequest[] {
  if (timezone !== undefined && typeof timezone !== 'string') throw wrong('timezone', 'Must be given once.');
  const bodies: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (bodies.length === 0 || bodies.length > MAX_REQUESTS) {
    throw wrong('', `A batch must hold 1 to ${MAX_REQUESTS} requests.`);
  }
  const left = new ObjectsLeft();
  const read = (one: unknown) => {
    const parsed = parseRequest(QueryRequestDto, one, left);
    const { dto } = parsed;
    if (isCsv && (one !== body || dto.parameters.length > 1)) throw wrong('parameters', ONE_TYPE);
    return readRequest(parsed, target, timezone ?? dto.timezone ?? target.zone, { now, isCsv, definitions });
  };
  if (!Array.isArray(body)) return [read(body)];
  const found = new WrongFields();
  const requests = bodies.map((one, at) =>
    collecting(
      (problem) => found.addProblem(problem, `[${at}]`),
      () => read(one),
    ),
  );
  if (found.count > 0) throw invalid(found.listed, found.count);
  return requests.filter((request) => request !== undefined);
}

/**
 * Returns the name of the snapshot that requests are asked of; undefined without. Those of a batch are answered from one.
 * @throws Problem VALIDATION_ERROR where they name several
 */
export function momentNameIn(body: unknown): string | undefined {
  const requests: readonly unknown[] = Array.isArray(body) ? body : [body];
  const names = new Set(requests.map((each) => (isObject(each) ? (each['snapshot'] ?? undefined) : undefined)));
  if (names.size > 1) throw invalid([{ field: 'snapshot', message: 'Must be the same in all requests of a batch.' }]);
  const [name] = names;
  return typeof name === 'string' ? name : undefined; // anything else is refused where the request is read
}

const ONE_TYPE = 'CSV holds the rows of exactly one query type.';

function readRequest(
  { dto, wrongDefinitions }: ParsedRequest,
  target: QueryTarget,
  timezone: string,
  { now, isCsv, definitions }: Pick<SentParameter, 'now' | 'isCsv' | 'definitions'>,
): QueryRequest {
  const zone = supportedZone(timezone);
  if (zone === undefined) throw wrong('timezone', 'Must be a time zone such as Europe/Berlin.');
  const errors: FieldError[] = [];
  const collect = ({ details }: Wrong) => void errors.push(...details);
  const range = collecting(collect, () => readRange(dto, zone, now));
  const origin = { about: target.about, zone, now, isCsv, definitions };
  const parameters = dto.parameters.map((one, at) =>
    collecting(collect, () => readParameter({ dto: one, request: dto, path: `parameters[${at}]`, ...origin })),
  );
  if (!range || errors.length > 0) throw invalid(distinct(errors));
  const { segment, unresolved, ...ofSegment } = dto.segment
    ? readSegment(dto.segment, target, definitions)
    : NO_SEGMENT;
  const read = parameters
    .filter((parameter) => parameter !== undefined)
    .map((parameter, at) => {
      const failure = wrongDefinitions.get(at) ?? unresolved;
      return failure ? { ...parameter, unresolved: failure } : parameter;
    });
  const { id = '', filters = [], page = 1, limit = DEFAULT_LIMIT, granularity = 'daily' } = dto;
  return {
    target,
    id,
    parameters: read,
    filters: [...(target.filters ?? []), ...filters],
    segment,
    page,
    limit,
    sort: sortIn(dto),
    zone,
    granularity,
    ...daysOf(range),
    notes: [...range.notes, ...ofSegment.notes, ...read.flatMap(({ notes }) => notes)],
  };
}

const NO_SEGMENT = { segment: null, notes: [], unresolved: undefined };

const sortIn = ({ sortBy, sortOrder = 'desc' }: QueryRequestDto): RowOrder | null =>
  sortBy === undefined ? null : { field: sortBy, direction: sortOrder };

type Wrong = Problem & Required<Pick<Problem, 'details'>>;

const isWrong = (error: unknown): error is Wrong => error instanceof Problem && error.details !== undefined;

/** The result of some work; undefined when it found wrong fields, which are then collected. */
function collecting<T>(collect: (problem: Wrong) => void, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!isWrong(error)) throw error;
    collect(error);
    return undefined;
  }
}

const distinct = (errors: readonly FieldError[]): FieldError[] =>
  errors.filter((error, at) => errors.findIndex((e) => e.field === error.field && e.message === error.message) === at);

/** One query type of a request, with what it overrides. */
export interface QueryParameter extends AskedDays {
  readonly type: QueryType;
  readonly id: string | undefined;
  readonly granularity: Granularity;
  readonly limit: number;
  /** True if the request has a limit; only then a series is cut. */
  readonly isLimited: boolean;
  /** All rows that a response has room for are wanted. */
  readonly isWhole?: boolean;
  /** Instead of the minimum of the type. */
  readonly minSamples?: number | undefined;
  /** The minutes of the clock, for a type about the last minutes. */
  readonly minutes?: number | undefined;
  /** The range that its figures are compared with; null = nothing. */
  readonly earlier: EarlierRange | null;
  readonly notes: readonly string[];
  readonly options: ParameterOptions;
  /** Why its options could not be read: a definition is wrong, or an id names nothing. */
  readonly unresolved?: Problem;
}

const MAX_HOURLY_DAYS = 30;
const MAX_DAYS = 3_660;

/** A parameter as it was sent, where it is in its request, and what it is read against. */
interface SentParameter {
  readonly dto: ParameterDto;
  readonly request: QueryRequestDto;
  readonly path: string;
  readonly about: QueryTarget['about'];
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  /** The answer is to be CSV. */
  readonly isCsv: boolean;
  readonly definitions: Definitions;
}

/** @throws Problem VALIDATION_ERROR with what is wrong in it */
function readParameter(sent: SentParameter): QueryParameter {
  const { dto, request, path, definitions, zone, now } = sent;
  const type = readType(sent);
  const { days, preset, notes } = readOwnRange(sent);
  const granularity = readGranularity(type, sent, days);
  const options = optionsOf(type, dto, definitions);
  const compare = dto.compare ?? request.compare;
  return {
    type,
    id: dto.id,
    granularity,
    ...readLimit(sent),
    minSamples: dto.minSamples ?? request.minSamples,
    minutes: dto.minutes ?? request.minutes,
    earlier: compare && isComparable(type) ? earlierRange({ ...days, preset, zone, now }, compare) : null,
    ...days,
    ...options,
    notes: [...notes, ...options.notes].map((note) => `${path} (${type.name}): ${note}`),
  };
}

/** The notes are on a range of its own; those on that of the request are the request's. */
function readOwnRange({ dto, request, path, zone, now }: SentParameter) {
  const isOwn = dto.preset !== undefined || dto.startDate !== undefined || dto.endDate !== undefined;
  const dates = isOwn ? dto : request;
  const { notes, ...range } = readRange(dates, zone, now, isOwn ? `${path}.` : '');
  return { days: daysOf(range), preset: dates.preset, notes: isOwn ? notes : [] };
}

function readGranularity({ shape }: QueryType, { dto, request, path }: SentParameter, days: AskedDays): Granularity {
  const granularity = dto.granularity ?? request.granularity ?? 'daily';
  if (shape !== 'series' || granularity !== 'hourly' || daysIn(days) <= MAX_HOURLY_DAYS) return granularity;
  const field = dto.granularity ? `${path}.granularity` : 'granularity';
  throw wrong(field, `hourly accepts a range of at most ${MAX_HOURLY_DAYS} days.`);
}

function readLimit({ dto, request, path, isCsv }: SentParameter) {
  const given = dto.limit ?? request.limit;
  const { page } = request;
  if ((page ?? 1) * (given ?? DEFAULT_LIMIT) > MAX_ROWS)
    throw wrong(dto.limit === undefined ? 'page' : `${path}.limit`, `page times limit may be at most ${MAX_ROWS}.`);
  const isWhole = isCsv && given === undefined && page === undefined;
  return { limit: given ?? (isWhole ? MAX_ROWS : DEFAULT_LIMIT), isLimited: given !== undefined, isWhole };
}

/** Nothing is read of a parameter without options, and of one whose options cannot be read why. */
function optionsOf(
  type: QueryType,
  dto: ParameterDto,
  definitions: Definitions,
): Pick<QueryParameter, 'options' | 'unresolved' | 'notes'> {
  const isGiven = OPTION_NAMES.some((name) => dto[name] !== undefined);
  if (!isGiven && !type.takes.options.includes('goals')) return { options: {}, notes: [] };
  try {
    return readOptions(type, dto, definitions);
  } catch (error) {
    if (error instanceof Problem) return { options: {}, unresolved: error, notes: [] };
    throw error;
  }
}

const isAbout = (type: QueryType, about: QueryTarget['about']): boolean =>
  type.about === about || type.sources.own?.alsoAbout === about;

function readType({ dto: { name }, about, path }: SentParameter): QueryType {
  const type = queryTypeNamed(name);
  if (type && isAbout(type, about)) return type;
  if (type) throw wrong(path, `${name} is asked of a ${type.about}, by ${type.about}_id.`);
  const names = CATALOGUE.filter((other) => isAbout(other, about)).map((other) => other.name);
  throw wrong(path, `Unknown query type ${JSON.stringify(name)}.`, closest(name, names));
}

/** Without what it has beside. */
const daysOf = ({ startDate, endDate, from, to }: AskedDays): AskedDays => ({
  startDate,
  endDate,
  ...(from === undefined || to === undefined ? {} : { from, to }),
});

function readRange(dates: DateRequest, zone: string, now: number, path = ''): AskedDays & { notes: readonly string[] } {
  const range = dateRange(dates, zone, now);
  if (!range.ok) throw invalid(range.errors.map((error) => ({ ...error, field: path + error.field })));
  if (daysIn(range) > MAX_DAYS) throw wrong(`${path}startDate`, `A range may have at most ${MAX_DAYS} days.`);
  return range;
}

const wrong = (field: string, message: string, suggestion?: string): Problem =>
  invalid([{ field, message, ...(suggestion === undefined ? {} : { suggestion }) }]);
