import { Rejection } from '@ledgerline/contracts/errors/rejection';
import {
  type IncidentDetails,
  type MaintenanceRepeat,
  WEEKDAYS,
} from '@ledgerline/contracts/events/status-page.events';
import { addDays, dayName, dayNumber, dayOf, instantAt, supportedZone } from '../time/zones';

export type Maintenance = Pick<
  IncidentDetails,
  'severity' | 'resolvedAt' | 'startsAt' | 'endsAt' | 'repeat' | 'repeatSetAt' | 'updates'
>;

/** A time in which a maintenance takes place; epoch ms. */
export interface Occurrence {
  /** The local day on which it begins; null = the maintenance takes place once. */
  readonly day: string | null;
  readonly startsAt: number;
  /** As it is planned. */
  readonly endsAt: number;
  /** When it is over: as it is planned, or when people end it or the whole series, also before it begins. */
  readonly overAt: number;
}

const MINUTE_MS = 60_000;

/** When a maintenance takes place between two times (epoch ms), the first one first. */
export const occurrences = (maintenance: Maintenance, from: number, to: number): readonly Occurrence[] =>
  planned(maintenance, from, to).filter(({ startsAt, overAt }) => startsAt < to && Math.max(from, startsAt) < overAt);

/** Returns whether a maintenance goes on at a time (epoch ms). */
export const isUnderMaintenance = (maintenance: Maintenance, now: number): boolean =>
  occurrences(maintenance, now, now + 1).length > 0;

function planned(maintenance: Maintenance, from: number, to: number): readonly Occurrence[] {
  const { severity, startsAt, endsAt, repeat } = maintenance;
  if (severity !== 'maintenance') return [];
  if (repeat) {
    // a day that clocks skip begins with the next one
    const first = dayNumber(dayOf(from - repeat.durationMinutes * MINUTE_MS, repeat.timezone)) - 1;
    const last = dayNumber(dayOf(to, repeat.timezone)) + 1;
    const days = Array.from({ length: last - first + 1 }, (_, n) => dayName(first + n));
    return days.flatMap((day) => occurrenceOn(maintenance, day) ?? []);
  }
  if (startsAt === null || endsAt === null) return [];
  return [ended(maintenance, { day: null, startsAt: Date.parse(startsAt), endsAt: Date.parse(endsAt) })];
}

/** The one of a repeating maintenance that begins on a day; undefined if none does. */
export function occurrenceOn(maintenance: Maintenance, day: string): Occurrence | undefined {
  const { repeat } = maintenance;
  if (!repeat || !isRepeatDay(repeat, day)) return undefined;
  const [hours = 0, minutes = 0] = repeat.startTime.split(':').map(Number);
  const startsAt = instantAt(day, (hours * 60 + minutes) * MINUTE_MS, repeat.timezone);
  const endsAt = startsAt + repeat.durationMinutes * MINUTE_MS;
  return endsAt > setAt(maintenance) ? ended(maintenance, { day, startsAt, endsAt }) : undefined;
}

function ended({ resolvedAt, updates }: Maintenance, window: Omit<Occurrence, 'overAt'>): Occurrence {
  const ends = updates.filter(({ occurrence, status }) => occurrence === window.day && status === 'resolved');
  const times = [
    ...(window.day === null ? [] : ends.map(({ at }) => at)),
    ...(resolvedAt === null ? [] : [resolvedAt]),
  ];
  return { ...window, overAt: Math.min(window.endsAt, ...times.map((at) => Date.parse(at))) };
}

const setAt = ({ repeatSetAt }: Maintenance): number => (repeatSetAt ? Date.parse(repeatSetAt) : -Infinity);

/** An occurrence as people see it, and since when it was the next one. */
export type ShownOccurrence = Occurrence & { readonly announcedAt: number };

/**
 * Returns what is shown of a repeating maintenance: the occurrence that was over last, and the one that goes on or is
 * next; of a series that was ended, the one that went on or was next then.
 */
export function shownOccurrences(maintenance: Maintenance, now: number): readonly ShownOccurrence[] {
  const { repeat, resolvedAt } = maintenance;
  if (!repeat) return [];
  const unended = { ...maintenance, resolvedAt: null };
  const at = Math.min(now, resolvedAt === null ? Infinity : Date.parse(resolvedAt));
  let day = addDays(dayOf(at - repeat.durationMinutes * MINUTE_MS, repeat.timezone), -1);
  let over = previousRepeatDay(repeat, addDays(day, -1));
  for (let next = nextRepeatDay(repeat, day); next !== undefined; next = nextRepeatDay(repeat, addDays(next, 1))) {
    day = next;
    if ((occurrenceOn(unended, day)?.overAt ?? -Infinity) > at) break;
    over = day;
  }
  return [...new Set([over ?? day, day])].flatMap((each) => announced(maintenance, repeat, each) ?? []);
}

function announced(maintenance: Maintenance, repeat: MaintenanceRepeat, day: string): ShownOccurrence | undefined {
  const occurrence = occurrenceOn(maintenance, day);
  if (!occurrence) return undefined;
  const before = previousRepeatDay(repeat, addDays(day, -1));
  const overAt = before === undefined ? undefined : occurrenceOn(maintenance, before)?.overAt;
  return { ...occurrence, announcedAt: Math.max(setAt(maintenance), overAt ?? -Infinity) };
}

const DAY_MINUTES = 24 * 60;
const WEEK = 7;
const SHORTEST_MONTH = 28;
/** With 29 February and every 12 months, eight years go by from one begin to the next; with any other, less. */
const SEARCHED_DAYS = 9 * 366;
export const MAX_REPEAT_INTERVAL = 30;

/** Returns whether a maintenance begins on a local day. */
function isRepeatDay(repeat: MaintenanceRepeat, day: string): boolean {
  const { every, interval, weekdays, monthDay, from, until } = repeat;
  if (day < from || (until !== null && day > until)) return false;
  if (every === 'day') return (dayNumber(day) - dayNumber(from)) % interval === 0;
  if (every === 'week') {
    const isOn = weekdays.some((weekday) => WEEKDAYS.indexOf(weekday) === weekdayOf(day));
    return isOn && (mondayOf(day) - mondayOf(from)) % (interval * WEEK) === 0;
  }
  const isOn = monthDay === 'last' ? addDays(day, 1).endsWith('-01') : Number(day.slice(8)) === monthDay;
  return isOn && (monthOf(day) - monthOf(from)) % interval === 0;
}

/** The first day from this one on; undefined if there is none. */
function nextRepeatDay(repeat: MaintenanceRepeat, day: string): string | undefined {
  const first = dayNumber(day < repeat.from ? repeat.from : day);
  const last = Math.min(first + SEARCHED_DAYS, repeat.until === null ? Infinity : dayNumber(repeat.until));
  for (let number = first; number <= last; number++) if (isRepeatDay(repeat, dayName(number))) return dayName(number);
  return undefined;
}

/** The last day up to this one; undefined if there is none. */
function previousRepeatDay(repeat: MaintenanceRepeat, day: string): string | undefined {
  const last = Math.max(dayNumber(day) - SEARCHED_DAYS, dayNumber(repeat.from));
  for (let number = dayNumber(day); number >= last; number--)
    if (isRepeatDay(repeat, dayName(number))) return dayName(number);
  return undefined;
}

/** With the canonical name of the zone, and the weekdays in their order. @throws Rejection */
export function validRepeat(repeat: MaintenanceRepeat): MaintenanceRepeat {
  const { every, weekdays, monthDay, durationMinutes } = repeat;
  const timezone = supportedZone(repeat.timezone);
  if (timezone === undefined) throw new Rejection('TIMEZONE_UNKNOWN', 'repeat.timezone');
  if ((every === 'week') !== weekdays.length > 0) throw new Rejection('REPEAT_WEEKDAYS_INVALID', 'repeat.weekdays');
  if (new Set(weekdays).size < weekdays.length) throw new Rejection('REPEAT_WEEKDAYS_REPEATED', 'repeat.weekdays');
  if ((every === 'month') !== (monthDay !== null)) throw new Rejection('REPEAT_MONTH_DAY_INVALID', 'repeat.monthDay');
  if (durationMinutes >= shortestPeriod(repeat) * DAY_MINUTES)
    throw new Rejection('REPEAT_TOO_LONG', 'repeat.durationMinutes');
  if (nextRepeatDay(repeat, repeat.from) === undefined)
    throw new Rejection('REPEAT_EMPTY', repeat.until === null ? 'repeat.monthDay' : 'repeat.until');
  return { ...repeat, timezone, weekdays: WEEKDAYS.filter((weekday) => weekdays.includes(weekday)) };
}

/** The least number of days from one begin to the next. */
function shortestPeriod({ every, interval, weekdays }: MaintenanceRepeat): number {
  if (every === 'day') return interval;
  if (every === 'month') return interval * SHORTEST_MONTH;
  const days = weekdays.map((weekday) => WEEKDAYS.indexOf(weekday)).sort((a, b) => a - b);
  const following = [...days.slice(1), (days[0] ?? 0) + interval * WEEK];
  return Math.min(...days.map((day, at) => (following[at] ?? day) - day));
}

/** 0 = Monday; 1970-01-01 was a Thursday. */
const weekdayOf = (day: string): number => (((dayNumber(day) + 3) % WEEK) + WEEK) % WEEK;
const mondayOf = (day: string): number => dayNumber(day) - weekdayOf(day);
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
