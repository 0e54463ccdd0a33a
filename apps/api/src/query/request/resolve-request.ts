import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { dateRange, daysIn } from '@ledgerline/domain/query/date-range';
import type { Filter } from '@ledgerline/domain/query/filters';
import type { Days } from '@ledgerline/domain/query/presets';
import { closest } from '@ledgerline/domain/query/suggestion';
import { isZone } from '@ledgerline/domain/time/zones';
import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import type { QueryType } from '../query-type';
import { DEFAULT_LIMIT, type ParameterDto, type QueryRequestDto } from './query-request.dto';

/** What a request is read against. */
export interface Asking {
  readonly about: 'website' | 'link';
  /** The zone of a request that names none. */
  readonly defaultZone: string;
  /** Of the query string; wins. */
  readonly zone: string | undefined;
  /** Epoch ms. */
  readonly now: number;
}

export interface ResolvedRequest extends Days {
  readonly id: string;
  readonly parameters: readonly ResolvedParameter[];
  readonly filters: readonly Filter[];
  readonly page: number;
  readonly limit: number;
  readonly sortBy: string | undefined;
  readonly sortOrder: 'asc' | 'desc' | undefined;
  readonly timezone: string;
  readonly granularity: Granularity;
  readonly notes: readonly string[];
}

export interface ResolvedParameter extends Days {
  readonly type: QueryType;
  /** The override's own label. */
  readonly id: string | undefined;
  readonly granularity: Granularity;
  readonly limit: number;
  /** True when the limit was asked for; only then a series is cut. */
  readonly limited: boolean;
}

/** What reading a parameter gives, with what its asker should know of it. */
interface ReadParameter {
  readonly parameter: ResolvedParameter;
  readonly notes: readonly string[];
}

export interface Wrong {
  readonly errors: readonly FieldError[];
}

const MAX_HOURLY_DAYS = 30;
const MAX_DAYS = 3_660;
const MAX_ROWS = 1_000_000;

/** Names, dates and zones of a well-formed request made definite, or every one that is wrong. */
export function resolveRequest(dto: QueryRequestDto, asking: Asking): ResolvedRequest | Wrong {
  const timezone = asking.zone ?? dto.timezone ?? asking.defaultZone;
  if (!/^[A-Za-z]/.test(timezone) || !isZone(timezone)) {
    return { errors: [{ field: 'timezone', message: 'Must be an IANA time zone such as Europe/Berlin.' }] };
  }
  const own = rangeOf(dto, timezone, asking.now, '');
  const parameters = dto.parameters.map((parameter, at) => {
    const path = `parameters[${at}]`;
    return resolveParameter(parameter, dto, { timezone, now: asking.now, about: asking.about, path });
  });
  const errors = [own, ...parameters].flatMap((one) => ('errors' in one ? one.errors : []));
  if (errors.length > 0 || 'errors' in own) return { errors: distinctErrors(errors) };
  const read = parameters.flatMap((one) => ('errors' in one ? [] : [one]));
  return {
    id: dto.id ?? '',
    parameters: read.map(({ parameter }) => parameter),
    filters: dto.filters ?? [],
    page: dto.page ?? 1,
    limit: dto.limit ?? DEFAULT_LIMIT,
    sortBy: dto.sortBy ?? undefined,
    sortOrder: dto.sortOrder ?? undefined,
    timezone,
    granularity: dto.granularity ?? 'daily',
    startDate: own.startDate,
    endDate: own.endDate,
    notes: [...own.notes, ...read.flatMap(({ notes }) => notes)],
  };
}

interface Place {
  readonly timezone: string;
  readonly now: number;
  readonly about: Asking['about'];
  readonly path: string;
}

function resolveParameter(dto: ParameterDto, request: QueryRequestDto, place: Place): ReadParameter | Wrong {
  const { timezone, now, path } = place;
  const type = typeOf(dto.name, place);
  if ('errors' in type) return type;
  const overrides = dto.preset !== undefined || dto.startDate !== undefined || dto.endDate !== undefined;
  const range = rangeOf(overrides ? dto : request, timezone, now, overrides ? `${path}.` : '');
  if ('errors' in range) return range;
  const granularity = dto.granularity ?? request.granularity ?? 'daily';
  if (type.granularity && granularity === 'hourly' && daysIn(range) > MAX_HOURLY_DAYS) {
    const field = dto.granularity ? `${path}.granularity` : 'granularity';
    return { errors: [{ field, message: `hourly accepts a range of at most ${MAX_HOURLY_DAYS} days.` }] };
  }
  const limit = dto.limit ?? request.limit;
  const { startDate, endDate } = range;
  const paged = { limit: limit ?? DEFAULT_LIMIT, limited: limit !== undefined };
  if ((request.page ?? 1) * paged.limit > MAX_ROWS) {
    const field = dto.limit === undefined ? 'page' : `${path}.limit`;
    return { errors: [{ field, message: `page times limit may be at most ${MAX_ROWS}.` }] };
  }
  return {
    parameter: { type, id: dto.id ?? undefined, granularity, ...paged, startDate, endDate },
    notes: overrides ? range.notes.map((note) => `${path} (${type.name}): ${note}`) : [],
  };
}

function typeOf(name: string, { about, path }: Place): QueryType | Wrong {
  const type = queryTypeNamed(name);
  if (type?.about === about) return type;
  if (type) {
    const message = `${name} is asked of a ${type.about}, by ${type.about}_id.`;
    return { errors: [{ field: path, message }] };
  }
  const suggestion = closest(
    name,
    CATALOGUE.filter((other) => other.about === about).map((other) => other.name),
  );
  const message = `Unknown query type ${JSON.stringify(name)}.`;
  return { errors: [{ field: path, message, ...(suggestion === undefined ? {} : { suggestion }) }] };
}

type Dated = Pick<QueryRequestDto, 'startDate' | 'endDate' | 'preset'>;

function rangeOf(dated: Dated, zone: string, now: number, path: string): (Days & { notes: readonly string[] }) | Wrong {
  const range = dateRange(dated, zone, now);
  if (!range.ok) return { errors: range.errors.map((error) => ({ ...error, field: path + error.field })) };
  if (daysIn(range) <= MAX_DAYS) return range;
  return { errors: [{ field: `${path}startDate`, message: `A range may have at most ${MAX_DAYS} days.` }] };
}

const distinctErrors = (errors: readonly FieldError[]): FieldError[] =>
  errors.filter((error, at) => errors.findIndex((e) => e.field === error.field && e.message === error.message) === at);
