import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { addDays, dayOf, hourLabel, hourOf, startOfDay } from '../time/zones';
import type { Days } from './presets';

export const GRANULARITIES = ['daily', 'hourly'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** A stretch of time (epoch ms), end excluded. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** One row of a series: what it is called, when it begins and ends, and the stretches of time it consists of. */
export interface Bucket extends Stretch {
  readonly label: string;
  /** In the order of time. One, except of an hour that clocks repeat only in part: its passes have others between them. */
  readonly stretches: readonly Stretch[];
}

/**
 * The buckets of a range up to the one that is now; their stretches follow each other without gaps. An hour that clocks
 * skip is absent, one they repeat is a single bucket; where they go back by two hours or more, hours come twice.
 */
export function bucketsOf(days: Days, zone: string, granularity: Granularity, now: number): Bucket[] {
  return granularity === 'daily'
    ? dailyBuckets(days, zone).filter(({ from }) => from <= now)
    : hourlyBuckets(instantsOf(days, zone), zone, now);
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
export const instantsOf = ({ startDate, endDate }: Days, zone: string): Stretch => ({
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
    if (dayOf(from, zone) === day) buckets.push({ label: day, from, to, stretches: [{ from, to }] });
    [day, from] = [next, to];
  }
  return buckets;
}

function hourlyBuckets({ from, to }: Stretch, zone: string, now: number): Bucket[] {
  const starts: { hour: number; from: number }[] = [];
  for (let at = from; at < to; at += FIFTEEN_MINUTES_MS) {
    const hour = hourOf(at, zone);
    if (starts.at(-1)?.hour !== hour) starts.push({ hour, from: at });
  }
  const hours = new Map<number, Stretch[]>();
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
