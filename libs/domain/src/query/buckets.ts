import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { addDays, dayOf, hourLabel, hourOf, startOfDay } from '../time/zones';
import type { InclusiveDays } from './date-range';

export const GRANULARITIES = ['daily', 'hourly', 'weekly', 'monthly'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** A stretch of time (epoch ms), end excluded. */
export interface InstantRange {
  readonly from: number;
  readonly to: number;
}

/** One row of a series: what it is called, when it begins and ends, and the stretches of time it consists of. */
export interface TimeBucket extends InstantRange {
  readonly label: string;
  /** In the order of time. One, except of an hour that clocks repeat only in part: its passes have others between them. */
  readonly stretches: readonly InstantRange[];
}

/**
 * The buckets of a range up to the one that is now; their stretches follow each other without gaps. An hour that clocks
 * skip is absent, one they repeat is a single bucket; where they go back by two hours or more, hours come twice. Weeks
 * (from Monday) and months have the date of their first day, and of them what is in the range.
 */
export function timeBuckets(days: InclusiveDays, zone: string, granularity: Granularity, now: number): TimeBucket[] {
  if (granularity === 'hourly') return hourlyBuckets(instantsOf(days, zone), zone, now);
  return dayBuckets(days, zone, granularity).filter(({ from }) => from <= now);
}

/** The date of the first day of the day, week or month that a day is in. */
export function firstDayOf(day: string, granularity: Exclude<Granularity, 'hourly'>): string {
  if (granularity === 'daily') return day;
  if (granularity === 'monthly') return `${day.slice(0, 7)}-01`;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(day, -sinceMonday);
}

const MAX_RANGES = 8;

export type BucketsOfRange = (days: InclusiveDays, zone: string, granularity: Granularity) => readonly TimeBucket[];

/** The buckets of ranges up to now; a few ranges are kept, as the types of a request share theirs. */
export function bucketsUntil(now: number): BucketsOfRange {
  const kept = new Map<string, readonly TimeBucket[]>();
  return (days, zone, granularity) => {
    const range = [days.startDate, days.endDate, zone, granularity].join(' ');
    const known = kept.get(range);
    if (known) return known;
    const buckets = timeBuckets(days, zone, granularity, now);
    if (kept.size >= MAX_RANGES) kept.clear();
    kept.set(range, buckets);
    return buckets;
  };
}

/** The instants (epoch ms) at which a range of local days begins and has ended. */
export const instantsOf = ({ startDate, endDate }: InclusiveDays, zone: string): InstantRange => ({
  from: startOfDay(startDate, zone),
  to: startOfDay(addDays(endDate, 1), zone),
});

function dayBuckets(
  { startDate, endDate }: InclusiveDays,
  zone: string,
  granularity: Exclude<Granularity, 'hourly'>,
): TimeBucket[] {
  const buckets: TimeBucket[] = [];
  let from = startOfDay(startDate, zone);
  for (let day = startDate; day <= endDate;) {
    const next = addDays(day, 1);
    const to = startOfDay(next, zone);
    // a zone that crosses the date line skips a whole day
    if (dayOf(from, zone) === day) addStretch(buckets, firstDayOf(day, granularity), { from, to });
    day = next;
    from = to;
  }
  return buckets;
}

/** Adds a stretch that follows the last one. */
function addStretch(buckets: TimeBucket[], label: string, { from, to }: InstantRange): void {
  const last = buckets.at(-1);
  if (last?.label !== label) buckets.push({ label, from, to, stretches: [{ from, to }] });
  else buckets.splice(-1, 1, { label, from: last.from, to, stretches: [{ from: last.from, to }] });
}

function hourlyBuckets({ from, to }: InstantRange, zone: string, now: number): TimeBucket[] {
  const starts: { hour: number; from: number }[] = [];
  for (let at = from; at < to; at += FIFTEEN_MINUTES_MS) {
    const hour = hourOf(at, zone);
    if (starts.at(-1)?.hour !== hour) starts.push({ hour, from: at });
  }
  const hours = new Map<number, InstantRange[]>();
  for (const [place, start] of starts.entries()) {
    if (start.from > now) break;
    const stretch = { from: start.from, to: starts[place + 1]?.from ?? to };
    hours.set(start.hour, [...(hours.get(start.hour) ?? []), stretch]);
  }
  return [...hours].map(([hour, stretches]) => ({
    label: hourLabel(hour, zone),
    from: hour,
    to: stretches.at(-1)?.to ?? to,
    stretches,
  }));
}

/** Returns the buckets of a range that may begin and end within one of them. */
export const bucketsWithin = (range: InstantRange, buckets: readonly TimeBucket[]): readonly TimeBucket[] =>
  (buckets[0]?.from ?? range.from) >= range.from && (buckets.at(-1)?.to ?? range.to) <= range.to
    ? buckets
    : buckets
        .filter(({ from, to }) => from < range.to && to > range.from)
        .map((bucket) => ({
          ...bucket,
          from: Math.max(bucket.from, range.from),
          to: Math.min(bucket.to, range.to),
        }));

/** The subject of a series: its range (epoch ms, end excluded) and the buckets of it. */
interface SeriesRange extends InstantRange {
  readonly buckets: readonly TimeBucket[];
}

/** A stretch of a bucket, with the number (from 1) of the bucket. */
interface BucketStretch extends InstantRange {
  readonly bucket: number;
}

/**
 * Returns what the buckets consist of up to the end of the range, in the order of time and without gaps: a bucket each,
 * unless clocks repeat a part of an hour.
 */
export const stretchesOf = ({ buckets, from: begin, to: end }: SeriesRange): BucketStretch[] =>
  buckets
    .flatMap(({ stretches }, at) =>
      stretches.map(({ from, to }) => ({ from: Math.max(from, begin), to: Math.min(to, end), bucket: at + 1 })),
    )
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = (range: SeriesRange): InstantRange => ({
  from: range.from,
  to: stretchesOf(range).at(-1)?.to ?? range.from,
});

/** Where the stretches begin, and the last of them ends; epoch ms. */
export const boundsOf = (range: SeriesRange): number[] => [
  ...stretchesOf(range).map(({ from }) => from),
  spanOf(range).to,
];
