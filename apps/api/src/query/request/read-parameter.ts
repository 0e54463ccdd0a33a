import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { earlierRange, type EarlierRange } from '@ledgerline/domain/query/comparison';
import { dateRange, type AskedDays, type DateRequest, daysIn } from '@ledgerline/domain/query/date-range';
import { closest } from '@ledgerline/domain/query/suggestion';
import { invalid } from '../../http/problems';
import type { ParameterOptions } from '../declaration/options';
import { isComparable, type QueryType } from '../declaration/query-type';
import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import { MAX_GOALS, OPTION_NAMES } from './parameter-options.dto';
import { DEFAULT_LIMIT, MAX_ROWS, type ParameterDto, type QueryRequestDto } from './query-request.dto';
import type { QueryTarget } from './query-targets';
import { notesOnOptions, readOptions, type Definitions } from './read-options';

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
export interface RequestDefaults {
  readonly about: QueryTarget['about'];
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  /** The answer is to be CSV. */
  readonly isCsv: boolean;
  readonly definitions: Definitions;
}

/** A parameter as it was sent, the request that it is of, and where it is in it. */
interface SentParameter extends RequestDefaults {
  readonly dto: ParameterDto;
  readonly request: QueryRequestDto;
  readonly path: string;
}

/** @throws Problem VALIDATION_ERROR with what is wrong in it */
export function readParameter(sent: SentParameter): QueryParameter {
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
    const { options, notes } = withGoals(type, readOptions(dto, definitions), definitions);
    return { options, notes: [...notes, ...notesOnOptions(options)] };
  } catch (error) {
    if (error instanceof Problem) return { options: {}, unresolved: error, notes: [] };
    throw error;
  }
}

/** A type about goals that names none is about all of the website; a series about the first ones. */
function withGoals({ takes, shape }: QueryType, options: ParameterOptions, { goals: all }: Definitions) {
  if (!takes.options.includes('goals') || options.goals) return { options, notes: [] };
  const goals = shape === 'series' ? all.slice(0, MAX_GOALS) : all;
  const note = `Of ${all.length} goals the first ${MAX_GOALS} are counted; name others in goals.`;
  return { options: { ...options, goals }, notes: goals.length < all.length ? [note] : [] };
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
export const daysOf = ({ startDate, endDate, from, to }: AskedDays): AskedDays => ({
  ...{ startDate, endDate },
  ...(from === undefined || to === undefined ? {} : { from, to }),
});

export function readRange(
  dates: DateRequest,
  zone: string,
  now: number,
  path = '',
): AskedDays & { notes: readonly string[] } {
  const range = dateRange(dates, zone, now);
  if (!range.ok) throw invalid(range.errors.map((error) => ({ ...error, field: path + error.field })));
  if (daysIn(range) > MAX_DAYS) throw wrong(`${path}startDate`, `A range may have at most ${MAX_DAYS} days.`);
  return range;
}

export const wrong = (field: string, message: string, suggestion?: string): Problem =>
  invalid([{ field, message, ...(suggestion === undefined ? {} : { suggestion }) }]);
