import type { Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isEmptySegment } from '@ledgerline/domain/goals/definition-rules';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { earlierRange, type EarlierRange } from '@ledgerline/domain/query/comparison';
import { dateRange, type AskedDays, type DateRequest, daysIn } from '@ledgerline/domain/query/date-range';
import type { Order } from '@ledgerline/domain/query/rows';
import { closest } from '@ledgerline/domain/query/suggestion';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { ObjectsLeft } from '../../http/bounded';
import { WrongFields } from '../../http/wrong-fields';
import { invalid } from '../../http/problems';
import { isComparable, type QueryType } from '../declaration/query-type';
import type { QueryTarget } from './query-targets';
import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import type { ParameterOptions } from '../declaration/options';
import { SegmentDefinitionDto } from '../../goals/definition.dto';
import { MAX_GOALS } from './parameter-options.dto';
import {
  NO_DEFINITIONS,
  notesOnOptions,
  readOptions,
  readSegment,
  segmentNotes,
  type Definitions,
} from './read-options';
import {
  DEFAULT_LIMIT,
  MAX_REQUESTS,
  MAX_ROWS,
  parseRequest,
  type ParameterDto,
  type ParsedRequest,
  QueryRequestDto,
} from './query-request.dto';

/** One request of a body, with every name, date and time zone resolved. */
export interface QueryRequest extends AskedDays {
  readonly subject: QueryTarget;
  /** The caller's own label. */
  readonly id: string;
  readonly parameters: readonly QueryParameter[];
  readonly filters: readonly Filter[];
  /** Null = all sessions. */
  readonly segment: SegmentDefinition | null;
  readonly page: number;
  readonly limit: number;
  readonly sort: Order | null;
  readonly zone: string;
  readonly granularity: Granularity;
  readonly notes: readonly string[];
}

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
  /** Of the clock, for a type about the last minutes. */
  readonly minutes?: number | undefined;
  /** What its figures are compared with; null = nothing. */
  readonly earlier: EarlierRange | null;
  readonly notes: readonly string[];
  readonly options: ParameterOptions;
  /** Why its options could not be read: a definition is wrong, or an id names nothing. */
  readonly unresolved?: Problem;
}

const MAX_HOURLY_DAYS = 30;
const MAX_DAYS = 3_660;

/** What requests are read against. */
interface RequestDefaults {
  readonly about: QueryTarget['about'];
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  /** The answer is to be CSV. */
  readonly isCsv: boolean;
  readonly definitions: Definitions;
}

/**
 * The requests of a body: one, or a batch.
 * @throws Problem VALIDATION_ERROR with every wrong field of every request
 */
export function readRequests(
  body: unknown,
  timezone: unknown,
  subject: QueryTarget,
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
    return readRequest(parsed, subject, timezone ?? dto.timezone ?? subject.zone, { now, isCsv, definitions });
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

const ONE_TYPE = 'CSV holds the rows of exactly one query type.';

function readRequest(
  { dto, wrongDefinitions }: ParsedRequest,
  subject: QueryTarget,
  timezone: string,
  { now, isCsv, definitions }: Pick<RequestDefaults, 'now' | 'isCsv' | 'definitions'>,
): QueryRequest {
  const zone = supportedZone(timezone);
  if (zone === undefined) throw wrong('timezone', 'Must be a time zone such as Europe/Berlin.');
  const errors: FieldError[] = [];
  const collect = ({ details }: Wrong) => void errors.push(...details);
  const range = collecting(collect, () => readRange(dto, zone, now));
  const parameters = dto.parameters.map((one, at) =>
    collecting(collect, () =>
      readParameter(one, dto, `parameters[${at}]`, { about: subject.about, zone, now, isCsv, definitions }),
    ),
  );
  if (!range || errors.length > 0) throw invalid(distinct(errors));
  if (dto.segment && subject.about !== 'website') throw wrong('segment', 'Segments are of websites.');
  if (dto.segment instanceof SegmentDefinitionDto && isEmptySegment(dto.segment))
    throw wrong('segment', REJECTIONS.SEGMENT_EMPTY.message);
  const { segment, unresolved: unknown } = readSegment(dto.segment, definitions);
  const read = parameters
    .filter((parameter) => parameter !== undefined)
    .map((parameter, at) => {
      const unresolved = wrongDefinitions.get(at) ?? unknown ?? parameter.unresolved;
      return unresolved ? { ...parameter, unresolved } : parameter;
    });
  const { id = '', filters = [], page = 1, limit = DEFAULT_LIMIT, granularity = 'daily' } = dto;
  return {
    subject,
    id,
    parameters: read,
    filters: [...(subject.filters ?? []), ...filters],
    segment,
    page,
    limit,
    sort: dto.sortBy === undefined ? null : { field: dto.sortBy, direction: dto.sortOrder ?? 'desc' },
    zone,
    granularity,
    ...daysOf(range),
    notes: [...range.notes, ...segmentNotes(segment, subject.visitorIdentity), ...read.flatMap(({ notes }) => notes)],
  };
}

function readParameter(
  dto: ParameterDto,
  request: QueryRequestDto,
  path: string,
  origin: RequestDefaults,
): QueryParameter {
  const { zone, now } = origin;
  const type = readType(dto.name, origin.about, path);
  const hasDates = dto.preset !== undefined || dto.startDate !== undefined || dto.endDate !== undefined;
  const dates = hasDates ? dto : request;
  const { notes, ...range } = readRange(dates, zone, now, hasDates ? `${path}.` : '');
  const days = daysOf(range);
  const granularity = dto.granularity ?? request.granularity ?? 'daily';
  if (type.shape === 'series' && granularity === 'hourly' && daysIn(days) > MAX_HOURLY_DAYS) {
    const field = dto.granularity ? `${path}.granularity` : 'granularity';
    throw wrong(field, `hourly accepts a range of at most ${MAX_HOURLY_DAYS} days.`);
  }
  const options = optionsOf(type, dto, origin.definitions);
  const limit = dto.limit ?? request.limit;
  const isWhole = origin.isCsv && limit === undefined && request.page === undefined;
  const compare = isComparable(type) ? (dto.compare ?? request.compare) : undefined;
  if ((request.page ?? 1) * (limit ?? DEFAULT_LIMIT) > MAX_ROWS) {
    throw wrong(dto.limit === undefined ? 'page' : `${path}.limit`, `page times limit may be at most ${MAX_ROWS}.`);
  }
  return {
    type,
    id: dto.id,
    granularity,
    limit: limit ?? (isWhole ? MAX_ROWS : DEFAULT_LIMIT),
    isLimited: limit !== undefined,
    isWhole,
    minSamples: dto.minSamples ?? request.minSamples,
    minutes: dto.minutes ?? request.minutes,
    earlier: compare ? earlierRange({ ...days, preset: dates.preset, zone, now }, compare) : null,
    ...days,
    ...options,
    notes: [...(hasDates ? notes : []), ...options.notes, ...notesOnOptions(options.options)].map(
      (note) => `${path} (${type.name}): ${note}`,
    ),
  };
}

/** A type about goals that names none is about all of the website; a series about the first ones. */
function optionsOf(
  { takes, shape }: QueryType,
  dto: ParameterDto,
  definitions: Definitions,
): Pick<QueryParameter, 'options' | 'unresolved' | 'notes'> {
  try {
    const options = readOptions(dto, definitions);
    if (!takes.options.includes('goals') || options.goals) return { options, notes: [] };
    const goals = shape === 'series' ? definitions.goals.slice(0, MAX_GOALS) : definitions.goals;
    const isCut = goals.length < definitions.goals.length;
    const note = `Of ${definitions.goals.length} goals the first ${MAX_GOALS} are counted; name others in goals.`;
    return { options: { ...options, goals }, notes: isCut ? [note] : [] };
  } catch (error) {
    if (error instanceof Problem) return { options: {}, unresolved: error, notes: [] };
    throw error;
  }
}

const isAbout = (type: QueryType, about: QueryTarget['about']): boolean =>
  type.about === about || type.sources.own?.alsoAbout === about;

function readType(name: string, about: QueryTarget['about'], path: string): QueryType {
  const type = queryTypeNamed(name);
  if (type && isAbout(type, about)) return type;
  if (type) throw wrong(path, `${name} is asked of a ${type.about}, by ${type.about}_id.`);
  const names = CATALOGUE.filter((other) => isAbout(other, about)).map((other) => other.name);
  throw wrong(path, `Unknown query type ${JSON.stringify(name)}.`, closest(name, names));
}

/** Without what it has beside. */
const daysOf = ({ startDate, endDate, from, to }: AskedDays): AskedDays => ({
  ...{ startDate, endDate },
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
