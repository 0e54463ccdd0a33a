import { addDays, dayNumber, dayOf, hourLabel, isCalendarDay } from '../time/zones';
import { timeBuckets, instantsOf } from './buckets';
import { type AskedDays, daysIn, partOfDays } from './date-range';

export const COMPARISONS = ['previous_period', 'previous_year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The range that another one is compared with; `to` is where it ends (epoch ms), which may be within its last day. */
export interface EarlierRange extends AskedDays {
  readonly period: Comparison;
  readonly to: number;
}

/** A range of days, the preset that it comes from, and where and when it is asked for (epoch ms). */
interface AskedRange extends AskedDays {
  readonly preset?: string | undefined;
  readonly zone: string;
  readonly now: number;
}

const DAY_MS = 86_400_000;

/** The distance from a range to the earlier one. */
interface Distance {
  readonly days: number;
  readonly months: number;
}

const CALENDAR_PERIODS = new Map<string | undefined, Distance>([
  ['this_week', { days: 7, months: 0 }],
  ['this_month', { days: 0, months: 1 }],
  ['this_year', { days: 0, months: 12 }],
]);

/** Presets of a period that is not over. */
const TO_DATE: ReadonlySet<string | undefined> = new Set(['today', ...CALENDAR_PERIODS.keys()]);

/**
 * As many days directly before, the calendar period before that of a preset, or the same dates a year earlier. Of a
 * preset whose period is not over, the same part: to the end of the hour of the clock that is now. Of a range of hours,
 * the same hours a whole number of 24 hours before.
 */
export function earlierRange(asked: AskedRange, period: Comparison): EarlierRange {
  const { zone, now, startDate, endDate } = asked;
  const distance = distanceOf(asked, period);
  if (asked.from !== undefined && asked.to !== undefined) {
    const days = period === 'previous_period' ? 1 : dayNumber(startDate) - dayNumber(dayBefore(startDate, distance));
    return { period, ...partOfDays(asked.from - days * DAY_MS, asked.to - days * DAY_MS, zone) };
  }
  const today = dayOf(now, zone);
  const isRunning = TO_DATE.has(asked.preset) && startDate <= today && today <= endDate;
  const last = isRunning ? today : endDate;
  const days = { startDate: dayBefore(startDate, distance), endDate: dayBefore(last, distance) };
  const isShorter = distance.months > 0 && days.endDate.slice(8) !== last.slice(8); // a month without such a day is whole
  const to = isRunning && !isShorter ? endOfHour(days.endDate, asked) : instantsOf(days, zone).to;
  return { period, ...days, to };
}

function distanceOf(asked: AskedRange, period: Comparison): Distance {
  if (period === 'previous_year') return { days: 0, months: 12 };
  return CALENDAR_PERIODS.get(asked.preset) ?? { days: daysIn(asked), months: 0 };
}

/** Returns the same day of an earlier month, or the last one where that month has no such day. */
function dayBefore(day: string, { days, months }: Distance): string {
  if (months === 0) return addDays(day, -days);
  const month = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - months;
  const same = `${firstOfMonth(month).slice(0, 8)}${day.slice(8)}`;
  return isCalendarDay(same) ? same : addDays(firstOfMonth(month + 1), -1);
}

/** Returns the first day of a month, which is counted from the year 0. */
const firstOfMonth = (month: number): string =>
  `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;

/** Where the hour that is now ended on another day; where that day has no such hour, the one before it. */
function endOfHour(day: string, { zone, now }: AskedRange): number {
  const days = { startDate: day, endDate: day };
  const hour = hourLabel(now, zone).slice(11);
  const hours = timeBuckets(days, zone, 'hourly', Infinity).filter(({ label }) => label.slice(11) <= hour);
  return hours.at(-1)?.to ?? instantsOf(days, zone).from;
}

/** By how many percent a figure has changed, with two decimals; null where the earlier one is 0 or either is unknown. */
export const changePercent = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : Math.round(((now - before) / before) * 10_000) / 100 + 0;
