import type { Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isEmptySegment } from '@ledgerline/domain/goals/definition-rules';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { AskedDays } from '@ledgerline/domain/query/date-range';
import type { Order } from '@ledgerline/domain/query/rows';
import { supportedZone } from '@ledgerline/domain/time/zones';
import { SegmentDefinitionDto } from '../../goals/definition.dto';
import { ObjectsLeft } from '../../http/bounded';
import { invalid } from '../../http/problems';
import { WrongFields } from '../../http/wrong-fields';
import { DEFAULT_LIMIT, MAX_REQUESTS, parseRequest, type ParsedRequest, QueryRequestDto } from './query-request.dto';
import type { QueryTarget } from './query-targets';
import { NO_DEFINITIONS, readSegment, notesOnSegment, type Definitions } from './read-options';
import { daysOf, type QueryParameter, readParameter, readRange, type RequestDefaults, wrong } from './read-parameter';

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
  const origin = { about: subject.about, zone, now, isCsv, definitions };
  const parameters = dto.parameters.map((one, at) =>
    collecting(collect, () => readParameter({ dto: one, request: dto, path: `parameters[${at}]`, ...origin })),
  );
  if (!range || errors.length > 0) throw invalid(distinct(errors));
  const { segment, segmentNotes, unresolved } = readOwnSegment(dto, subject, definitions);
  const read = parameters
    .filter((parameter) => parameter !== undefined)
    .map((parameter, at) => withFailure(parameter, wrongDefinitions.get(at) ?? unresolved));
  const { id = '', filters = [], page = 1, limit = DEFAULT_LIMIT, granularity = 'daily' } = dto;
  return {
    subject,
    id,
    parameters: read,
    filters: [...(subject.filters ?? []), ...filters],
    segment,
    page,
    limit,
    sort: sortIn(dto),
    zone,
    granularity,
    ...daysOf(range),
    notes: [...range.notes, ...segmentNotes, ...read.flatMap(({ notes }) => notes)],
  };
}

function readOwnSegment(
  { segment: given }: QueryRequestDto,
  { about, visitorIdentity }: QueryTarget,
  known: Definitions,
) {
  if (!given) return NO_SEGMENT;
  if (about !== 'website') throw wrong('segment', 'Segments are of websites.');
  if (given instanceof SegmentDefinitionDto && isEmptySegment(given))
    throw wrong('segment', REJECTIONS.SEGMENT_EMPTY.message);
  const { segment, unresolved } = readSegment(given, known);
  return { segment, segmentNotes: segment ? notesOnSegment(segment, visitorIdentity) : [], unresolved };
}

const NO_SEGMENT = { segment: null, segmentNotes: [], unresolved: undefined };

const withFailure = (parameter: QueryParameter, unresolved: Problem | undefined): QueryParameter =>
  unresolved ? { ...parameter, unresolved } : parameter;

const sortIn = ({ sortBy, sortOrder = 'desc' }: QueryRequestDto): Order | null =>
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
