import { Rejection } from '@ledgerline/contracts/errors/rejection';
import { WEEKDAYS, type MaintenanceRepeat } from '@ledgerline/contracts/events/incident.events';
import { addDays, dayName, dayNumber, supportedZone } from '../time/zones';

const DAY_MINUTES = 24 * 60;
const WEEK = 7;
const SHORTEST_MONTH = 28;
/** With 29 February and every 12 months, eight years go by from one begin to the next; with any other, less. */
const SEARCHED_DAYS = 9 * 366;
export const MAX_REPEAT_INTERVAL = 30;

/** Whether a maintenance begins on a local day. */
export function isRepeatDay(repeat: MaintenanceRepeat, day: string): boolean {
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
export function nextRepeatDay(repeat: MaintenanceRepeat, day: string): string | undefined {
  const first = dayNumber(day < repeat.from ? repeat.from : day);
  const last = Math.min(first + SEARCHED_DAYS, repeat.until === null ? Infinity : dayNumber(repeat.until));
  for (let number = first; number <= last; number++) if (isRepeatDay(repeat, dayName(number))) return dayName(number);
  return undefined;
}

/** The last day up to this one; undefined if there is none. */
export function previousRepeatDay(repeat: MaintenanceRepeat, day: string): string | undefined {
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
