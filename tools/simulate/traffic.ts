import { inOrderOfArrival, type Arrival } from '../traffic/arrivals';
import { HOUR_MS, weightOf } from '../traffic/calendar';
import { Random } from '../traffic/random';
import { MEASURED, visit, type Visit } from '../traffic/visit';
import type { Options } from './options';

const DAY_MS = 24 * HOUR_MS;
/** Maximum age of an event without a key, less an hour for the time to send everything. */
export const KEYLESS_DAYS = 7;
/** Repeated events without a key are recognised for two days. */
const BOT_MS = 47 * HOUR_MS;
const STREAM = 6;
const VISITS_PER_VISITOR = 1.6;
/** Days in which traffic grows by the factor e. */
const GROWTH_DAYS = 130;
const SLOTS = 65_536;
const WEEK_HOURS = 168;
const SHARE_OF_REGULARS = 0.22;
const SHARE_OF_RECENT = 0.18;

type Range = Pick<Options, 'seed' | 'visitors' | 'days' | 'apiKey'>;

/**
 * The traffic of the last days, oldest first, an hour at a time. An hour has the same visits whenever it is asked for,
 * or fewer of them when it is longer ago: so traffic grows, and a second run sends nothing new but what came since.
 */
export function* trafficOf(range: Range, end: number): Generator<readonly Arrival[]> {
  const days = range.apiKey === undefined ? Math.min(range.days, KEYLESS_DAYS) : range.days;
  const oldest = end - days * DAY_MS + (days === KEYLESS_DAYS ? HOUR_MS : 0);
  for (const hour of inOrderOfArrival({ end, days }, visitsByHour(range, days, end)))
    yield hour.filter(({ visit: { bot }, hit }) => hit.at >= (bot === null ? oldest : end - BOT_MS));
}

function* visitsByHour(range: Range, days: number, end: number): Generator<readonly Visit[]> {
  const last = Math.floor(end / HOUR_MS);
  const visitsOf = calendarOf(range);
  for (let hour = last - Math.round(days * 24); hour <= last; hour++) {
    const random = new Random(range.seed, STREAM, hour);
    const grown = Math.exp((hour - last) / 24 / GROWTH_DAYS);
    const visits: Visit[] = [];
    for (let slot = 0, count = visitsOf(hour); slot < count; slot++) {
      const number = hour * SLOTS + slot;
      const isThere = random.next() < grown;
      const visitor = visitorOf(number, range.visitors, random);
      const at = random.next();
      if (isThere) visits.push(visit(range.seed, number, visitor, Math.floor((hour + at) * HOUR_MS), MEASURED));
    }
    yield visits;
  }
}

/** Returns the number of visits an hour of the present size has, by its number since 1970. */
function calendarOf({ seed, visitors, days }: Range): (hour: number) => number {
  const mean = (GROWTH_DAYS / days) * (1 - Math.exp(-days / GROWTH_DAYS));
  const hourly = (visitors * VISITS_PER_VISITOR) / (days * 24) / mean;
  const week = Array.from({ length: WEEK_HOURS }, (_, hour) => weightOf(hour * HOUR_MS));
  const average = week.reduce((sum, weight) => sum + weight, 0) / WEEK_HOURS;
  return (hour) => {
    const weather = new Random(seed, STREAM, Math.floor(hour / 24)).between(0.85, 1.15);
    const chance = new Random(seed, STREAM + 1, hour).next();
    return Math.floor((hourly * weather * weightOf(hour * HOUR_MS)) / average + chance);
  };
}

/** Somebody new, somebody who was there within the last days, or one of those who come again and again. */
function visitorOf(number: number, visitors: number, random: Random): number {
  const kind = random.next();
  const which = random.next();
  if (kind < SHARE_OF_REGULARS) return Math.floor((visitors / 30) * which ** 1.5);
  const daysAgo = Math.ceil(-Math.log(1 - which) * 5);
  return kind < SHARE_OF_REGULARS + SHARE_OF_RECENT ? number - daysAgo * 24 * SLOTS : number;
}
