import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { addDays, dayOf, hourLabel, startOfDay } from '../time/zones';
import type { Days } from './presets';

export const GRANULARITIES = ['daily', 'hourly'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** One row of a series: what it is called, and when it begins and ends (epoch ms, end excluded). */
export interface Bucket {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The buckets of a range up to the one that is now. Clock changes happen at multiples of 15 minutes: an hour they skip is absent,
 * one they repeat is a single bucket. TRICKY: a bucket is one stretch of time, so where clocks go back by two hours or
 * more (Antarctica/Troll) the hours come twice.
 */
export function bucketsOf(days: Days, zone: string, granularity: Granularity, now: number): Bucket[] {
  const { from, to } = instantsOf(days, zone);
  const all = granularity === 'daily' ? dailyBuckets(days, zone) : hourlyBuckets(from, to, zone);
  return all.filter((bucket) => bucket.from <= now);
}

const MAX_RANGES = 8;

export type BucketsOfRange = (days: Days, zone: string, granularity: Granularity) => readonly Bucket[];

/** The buckets of ranges up to now; a few ranges are kept, as the types of a request share theirs. */
export function bucketsUntil(now: number): BucketsOfRange {
  const kept = new Map<string, readonly Bucket[]>();
  return (days, zone, granularity) => {
    const range = [days.startDate, days.endDate, zone, granularity].join(' ');
    const known = kept.get(range);
    if (known) return known;
    const buckets = bucketsOf(days, zone, granularity, now);
    if (kept.size >= MAX_RANGES) kept.clear();
    kept.set(range, buckets);
    return buckets;
  };
}

/** The instants (epoch ms) at which a range of local days begins and has ended. */
export const instantsOf = ({ startDate, endDate }: Days, zone: string): { from: number; to: number } => ({
  from: startOfDay(startDate, zone),
  to: startOfDay(addDays(endDate, 1), zone),
});

function dailyBuckets({ startDate, endDate }: Days, zone: string): Bucket[] {
  const buckets: Bucket[] = [];
  let from = startOfDay(startDate, zone);
  for (let day = startDate; day <= endDate;) {
    const next = addDays(day, 1);
    const to = startOfDay(next, zone);
    // a zone that crosses the date line skips a whole day
    if (dayOf(from, zone) === day) buckets.push({ label: day, from, to });
    [day, from] = [next, to];
  }
  return buckets;
}

function hourlyBuckets(from: number, to: number, zone: string): Bucket[] {
  const starts: { label: string; from: number }[] = [];
  for (let at = from; at < to; at += FIFTEEN_MINUTES_MS) {
    const label = hourLabel(at, zone);
    if (starts.at(-1)?.label !== label) starts.push({ label, from: at });
  }
  return starts.map((start, place) => ({ ...start, to: starts[place + 1]?.from ?? to }));
}
