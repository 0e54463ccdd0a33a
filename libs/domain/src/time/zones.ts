import { blockStart, FIFTEEN_MINUTES_MS } from './fifteen-minutes';
import { zoneNamed } from './zone-names';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Minutes are enough: since 1972 every IANA zone is a whole number of minutes from UTC, and changes at a multiple of 15 minutes. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offset in ms by number of the 15-minute interval since the epoch. */
  readonly offsets: Map<number, number>;
}

/** By name in its usual spelling, so that there are never more than zones. */
const zones = new Map<string, Zone>();

const MAX_OFFSETS = 500_000;

/** How many offsets all zones hold. */
let offsetCount = 0;

/** The usual spelling of an IANA time zone that this runtime supports, from a name in any case; undefined if none. */
export function supportedZone(name: string): string | undefined {
  const spelling = zoneNamed(name);
  if (spelling === undefined) return undefined;
  try {
    zoneOf(spelling);
    return spelling;
  } catch {
    return undefined;
  }
}

/** True for an IANA time zone name, in any case, that this runtime supports. */
export const isZone = (name: string): boolean => supportedZone(name) !== undefined;

/** What to add to UTC to get local time at that instant, in ms. @throws RangeError for an unknown zone */
export function offsetAt(at: number, name: string): number {
  if (name === 'UTC') return 0;
  const zone = zones.get(name) ?? zoneOf(zoneNamed(name) ?? name);
  const interval = Math.floor(at / FIFTEEN_MINUTES_MS);
  let offset = zone.offsets.get(interval);
  if (offset === undefined) {
    offset = measureOffset(interval * FIFTEEN_MINUTES_MS, zone.format);
    if (offsetCount >= MAX_OFFSETS) clearOffsets();
    zone.offsets.set(interval, offset);
    offsetCount++;
  }
  return offset;
}

/** The local calendar day as `YYYY-MM-DD`. */
export const dayOf = (at: number, zone: string): string => dayName(Math.floor((at + offsetAt(at, zone)) / DAY_MS));

/** The instant (epoch ms) at which the local hour of `at` began; a repeated hour is one hour. */
export function hourOf(at: number, zone: string): number {
  const label = hourLabel(at, zone);
  let start = blockStart(at);
  while (hourLabel(start - 1, zone) === label) start = blockStart(start - 1);
  return start;
}

/** The local hour as `YYYY-MM-DD HH:00:00`. */
export function hourLabel(at: number, zone: string): string {
  const local = at + offsetAt(at, zone);
  return `${new Date(Math.floor(local / HOUR_MS) * HOUR_MS).toISOString().slice(0, 13).replace('T', ' ')}:00:00`;
}

/** The instant (epoch ms) at which a local day begins: the first 15-minute interval that bears its date. */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const offset = offsetAt(midnight - DAY_MS, zone);
  const isConstant = offset === offsetAt(midnight + DAY_MS, zone);
  return isConstant ? intervalFrom(midnight - offset) : searchStartOfDay(day, zone, midnight / FIFTEEN_MINUTES_MS);
}

/** The first 15-minute interval that begins at an instant or after it. */
const intervalFrom = (at: number): number => Math.ceil(at / FIFTEEN_MINUTES_MS) * FIFTEEN_MINUTES_MS;

/** Where clocks change on the day before or after. */
function searchStartOfDay(day: string, zone: string, midnight: number): number {
  let before = midnight - 17 * 4;
  let from = midnight + 17 * 4;
  while (from - before > 1) {
    const between = Math.floor((before + from) / 2);
    if (dayOf(between * FIFTEEN_MINUTES_MS, zone) < day) before = between;
    else from = between;
  }
  return from * FIFTEEN_MINUTES_MS;
}

/** The day `count` days later (earlier when negative). */
export const addDays = (day: string, count: number): string => dayName(dayNumber(day) + count);

/** A day as days since 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** And back. */
export const dayName = (days: number): string => new Date(days * DAY_MS).toISOString().slice(0, 10);

/** True for a `YYYY-MM-DD` that exists. */
export function isCalendarDay(text: string): boolean {
  const number = /^\d{4}-\d{2}-\d{2}$/.test(text) ? dayNumber(text) : NaN;
  return !Number.isNaN(number) && dayName(number) === text;
}

function clearOffsets(): void {
  for (const { offsets } of zones.values()) offsets.clear();
  offsetCount = 0;
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = { format: formatFor(name), offsets: new Map() };
    zones.set(name, zone);
  }
  return zone;
}

const formatFor = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
  });

function measureOffset(at: number, format: Intl.DateTimeFormat): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
}
