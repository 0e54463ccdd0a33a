import { DateTime, FixedOffsetZone } from 'luxon';
import type { FilterOp } from '@ledgerline/contracts/definitions';
import type { NaiveSession } from './naive-sessions';

/** The request that an answer depends on beside the events. */
export interface NaiveRequest {
  readonly startDate: string;
  readonly endDate: string;
  /** The bounds of a range that is not of whole days: when it begins and ends (epoch ms, the end excluded). */
  readonly from?: number;
  readonly to?: number;
  /** The last hour of the clock (0–23) that counts on the last day; all of them if undefined. */
  readonly lastHour?: number;
  readonly timezone: string;
  readonly granularity: 'daily' | 'hourly' | 'weekly' | 'monthly';
  readonly filters: readonly NaiveFilter[];
  /** Returns what a segment says of a session beside its filters; absent = every one is in it. */
  readonly isInSegment?: ((session: NaiveSession | undefined) => boolean) | undefined;
  /** The minimum of types that have one. */
  readonly minSamples?: number;
  /** The minutes of types about the last ones. */
  readonly minutes?: number;
  /** Epoch ms. */
  readonly now: number;
}

export type NaiveFilter = NaiveFieldFilter | { readonly any: readonly NaiveFieldFilter[] };

export interface NaiveFieldFilter {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: string | readonly string[];
}

/** One of them must hold. */
export const naiveAlternatives = (filter: NaiveFilter): readonly NaiveFieldFilter[] =>
  'any' in filter ? filter.any : [filter];

const QUARTER_MS = 900_000;
const quarterOf = (at: number) => Math.floor(at / QUARTER_MS);

/** Local time by the clock as it stands at the end of the 15 minutes, so that a change at 00:01 is one at midnight. */
function localTime(at: number, timezone: string): DateTime {
  return DateTime.fromMillis(at, { zone: offsetOf(quarterOf(at), timezone) });
}

const MOST_KEPT = 200_000;
/** Each query type walks through the same 15 minutes of the same zone. */
const offsets = new Map<string, FixedOffsetZone>();

function offsetOf(quarter: number, timezone: string): FixedOffsetZone {
  const key = `${timezone} ${quarter}`;
  const kept = offsets.get(key);
  if (kept) return kept;
  const { offset } = DateTime.fromMillis((quarter + 1) * QUARTER_MS - 1, { zone: timezone });
  const zone = FixedOffsetZone.instance(Math.round(offset / 15) * 15);
  if (offsets.size >= MOST_KEPT) offsets.clear();
  offsets.set(key, zone);
  return zone;
}

/** The local date of an instant. */
export const dateOf = (at: number, timezone: string): string => localTime(at, timezone).toISODate()!;

export const hourOf = (at: number, timezone: string): number => localTime(at, timezone).hour;

export function inRange(at: number, request: NaiveRequest): boolean {
  if (request.from !== undefined && request.to !== undefined) return at >= request.from && at < request.to;
  const day = dateOf(at, request.timezone);
  return day >= request.startDate && day <= request.endDate && (day < request.endDate || isWithinLastHour(at, request));
}

/** Clocks go back by at most three hours. */
const REPEATED_QUARTERS = 16;

/**
 * Returns whether the hour that ends the last day is not over: where clocks go back to it, its last pass ends the day.
 */
function isWithinLastHour(at: number, { endDate, timezone, lastHour = 23 }: NaiveRequest): boolean {
  if (hourOf(at, timezone) <= lastHour) return true;
  const following = Array.from({ length: REPEATED_QUARTERS }, (_, nth) => at + (nth + 1) * QUARTER_MS);
  return following.some((later) => dateOf(later, timezone) === endDate && hourOf(later, timezone) <= lastHour);
}

/** The hour of the clock that is now, and the 23 hours before. */
export function lastDay(now: number, timezone: string): Required<Pick<NaiveRequest, 'from' | 'to'>> & Days {
  let to = (quarterOf(now) + 1) * QUARTER_MS;
  while (localTime(to - 1, timezone).plus(1).minute !== 0) to += QUARTER_MS;
  const from = to - 86_400_000;
  return { from, to, startDate: dateOf(from, timezone), endDate: dateOf(to - 1, timezone) };
}

type Days = Pick<NaiveRequest, 'startDate' | 'endDate'>;

interface NaiveBucket {
  /** The local date, or the local hour as a label. */
  readonly date: string;
  has(at: number): boolean;
}

/**
 * Every bucket of the range up to the current one, found by walking through it in steps of 15 minutes: those of a label
 * are one bucket, until clocks go back by two hours or more.
 */
export function buckets(request: NaiveRequest): NaiveBucket[] {
  const { startDate, endDate, timezone, granularity, now } = request;
  const labelOf = (local: DateTime) => {
    if (granularity === 'hourly') return local.toFormat('yyyy-MM-dd HH:00:00');
    const unit = { daily: 'day', weekly: 'week', monthly: 'month' } as const;
    return local.startOf(unit[granularity]).toFormat('yyyy-MM-dd');
  };
  const first = quarterOf(Date.parse(startDate)) - 26 * 4;
  const last = quarterOf(Date.parse(endDate)) + 50 * 4;
  const found = new Map<string, Set<number>>();
  let offset = -Infinity;
  let passes = 0;
  let date = '';
  let since = first;
  for (let quarter = first; quarter < last && since * QUARTER_MS <= now; quarter++) {
    const local = localTime(quarter * QUARTER_MS, timezone);
    if (granularity === 'hourly' && offset - local.offset >= 120) passes++;
    offset = local.offset;
    const label = labelOf(local);
    const isIn = inRange(quarter * QUARTER_MS, request);
    if (label !== date || (isIn && found.size === 0)) {
      date = label;
      since = quarter;
    }
    if (!isIn || since * QUARTER_MS > now) continue;
    const key = `${date}|${passes}`;
    found.set(key, (found.get(key) ?? new Set()).add(quarter));
  }
  return [...found].map(([key, quarters]) => ({
    date: key.split('|')[0]!,
    has: (at) => quarters.has(quarterOf(at)),
  }));
}

/** Returns whether a value passes; several spellings of one value (a country's code and name) pass if one does. */
export function passes(filter: NaiveFieldFilter, spellings: readonly string[], ignoreCase: boolean): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const values = (typeof filter.value === 'string' ? [filter.value] : filter.value).map(fold);
  const some = (test: (spelling: string, value: string) => boolean) =>
    spellings.map(fold).some((spelling) => values.some((value) => test(spelling, value)));
  switch (filter.op) {
    case 'eq':
    case 'in':
      return some((spelling, value) => spelling === value);
    case 'ne':
    case 'not_in':
      return !some((spelling, value) => spelling === value);
    case 'contains':
      return some((spelling, value) => spelling.includes(value));
    case 'not_contains':
      return !some((spelling, value) => spelling.includes(value));
    case 'starts_with':
      return some((spelling, value) => spelling.startsWith(value));
    case 'glob':
      return isLike(spellings[0] ?? '', String(filter.value));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isNumber(spellings[0] ?? '') && compares(filter.op, Number(spellings[0]), Number(filter.value));
  }
}

/** Returns whether a whole text is of a pattern: what its first sign stands for, then the same of the rest. */
function isLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  const star = pattern.startsWith('**') ? 2 : pattern.startsWith('*') ? 1 : 0;
  if (star === 0) return text !== '' && text[0] === pattern[0] && isLike(text.slice(1), pattern.slice(1));
  if (isLike(text, pattern.slice(star))) return true;
  return text !== '' && (star === 2 || text[0] !== '/') && isLike(text.slice(1), pattern);
}

const isNumber = (text: string) => /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(text);

const compares = (op: FilterOp, number: number, bound: number): boolean =>
  (op.startsWith('gt') && number > bound) ||
  (op.startsWith('lt') && number < bound) ||
  (op.endsWith('te') && number === bound);

export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** The part of all there are: 100 at most, as page views after the range may select what began in it. */
export const share = (part: number, whole: number): number => percent(part, Math.max(part, whole));

export const distinct = (values: readonly (string | null)[]): number =>
  new Set(values.filter((value) => value !== null)).size;

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)]!;
}

export const average = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
