import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { FIFTEEN_MINUTES_MS, blockStart } from './fifteen-minutes';
import { zoneNamed } from './zone-names';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Local time is UTC plus a multiple of 15 minutes that changes at multiples of 15 minutes only; see `measureOffset`. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Offset in ms by number of the 15-minute interval since the epoch. */
  readonly offsets: Map<number, number>;
}

/** By canonical name, so that there are never more than zones. */
const zones = new Map<string, Zone>();

const MAX_OFFSETS = 500_000;

/** The number of offsets all zones hold. */
let offsetCount = 0;

/** The canonical name of an IANA time zone that this runtime supports, from any name of it, in any case; undefined if none. */
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

/** Returns what to add to UTC to get local time at that instant, in ms. @throws RangeError for an unknown zone */
export function offsetAt(at: number, name: string): number {
  if (name === 'UTC') return 0;
  const zone = zones.get(name) ?? zoneOf(zoneNamed(name) ?? name);
  const interval = Math.floor(at / FIFTEEN_MINUTES_MS);
  let offset = zone.offsets.get(interval);
  if (offset === undefined) {
    offset = measureOffset((interval + 1) * FIFTEEN_MINUTES_MS - SECOND_MS, zone.format);
    if (offsetCount >= MAX_OFFSETS) clearOffsets();
    zone.offsets.set(interval, offset);
    offsetCount++;
  }
  return offset;
}

/** The local calendar day as `YYYY-MM-DD`. */
export const dayOf = (at: number, zone: string): string => dayName(Math.floor((at + offsetAt(at, zone)) / DAY_MS));

/** Clocks that go back by less than this repeat hours; by this or more, the second pass is of other hours. */
const REPEATED_WITHIN_MS = 2 * HOUR_MS;

/**
 * The instant (epoch ms) at which the local hour of `at` first began. An hour that is repeated, or a part of it, is one
 * hour, also where the other pass does not directly precede: Pacific/Chatham goes from 03:45 back to 02:45.
 */
export function hourOf(at: number, zone: string): number {
  const offset = offsetAt(at, zone);
  const hour = localHour(at, offset);
  const searched = at - HOUR_MS - REPEATED_WITHIN_MS;
  if (offsetAt(searched, zone) === offset) return hour * HOUR_MS - offset;
  let start = blockStart(at);
  for (let earlier = start; earlier > searched; earlier -= FIFTEEN_MINUTES_MS) {
    const before = offsetAt(earlier, zone);
    if (localHour(earlier, before) === hour && before - offset < REPEATED_WITHIN_MS) start = earlier;
  }
  return start;
}

const localHour = (at: number, offset: number): number => Math.floor((at + offset) / HOUR_MS);

/** The local hour as `YYYY-MM-DD HH:00:00`. */
export const hourLabel = (at: number, zone: string): string =>
  `${new Date(localHour(at, offsetAt(at, zone)) * HOUR_MS).toISOString().slice(0, 13).replace('T', ' ')}:00:00`;

/** The instant (epoch ms) at which a local day begins: the first 15-minute interval that bears its date. */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const offset = offsetAt(midnight - DAY_MS, zone);
  const isConstant = offset === offsetAt(midnight + DAY_MS, zone);
  return isConstant ? midnight - offset : searchStartOfDay(day, zone, midnight / FIFTEEN_MINUTES_MS);
}

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

/**
 * The first instant (epoch ms) at which clocks show this time of a day (ms since its midnight), or a later one: the first
 * of two where clocks go back, and where they go on after it if they skip it.
 */
export function instantAt(day: string, timeOfDay: number, zone: string): number {
  const local = Date.parse(`${day}T00:00:00Z`) + timeOfDay;
  const offset = offsetAt(local - DAY_MS, zone);
  if (offset === offsetAt(local + DAY_MS, zone)) return local - offset;
  let start = blockStart(local - DAY_MS);
  while (start + FIFTEEN_MINUTES_MS + offsetAt(start, zone) <= local) start += FIFTEEN_MINUTES_MS;
  return Math.max(start, local - offsetAt(start, zone));
}

/** The day `count` days later (earlier when negative). */
export const addDays = (day: string, count: number): string => dayName(dayNumber(day) + count);

/** A day as days since 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

/** Returns the day (`YYYY-MM-DD`) of a number of days since 1970-01-01. */
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

/**
 * The offset at the end of a 15-minute interval, rounded to 15 minutes: clocks that change at 00:01 (St. John's until
 * 2011, Casey until 2022) change at midnight, so that days and hours consist of whole intervals. Nothing else is rounded
 * since 1980.
 */
function measureOffset(at: number, format: Intl.DateTimeFormat): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = part;
  const exact = Date.UTC(year, month - 1, day, hour, minute, second) - at;
  return Math.round(exact / FIFTEEN_MINUTES_MS) * FIFTEEN_MINUTES_MS;
}

const calendars = new Map<string, Calendar>();

export function calendarOf(zone: string): Calendar {
  let calendar = calendars.get(zone);
  if (!calendar) calendars.set(zone, (calendar = { day: (at) => Math.floor((at + offsetAt(at, zone)) / DAY_MS) }));
  return calendar;
}
