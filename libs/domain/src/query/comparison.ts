import { addDays } from '../time/zones';
import { daysIn } from './date-range';
import type { Days } from './presets';

export const COMPARISONS = ['previous_period', 'previous_year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The range that a range is compared with: as many days directly before it, or the same dates a year earlier. */
export function earlierDays(days: Days, comparison: Comparison): Days {
  const { startDate, endDate } = days;
  if (comparison === 'previous_year') return { startDate: yearBefore(startDate), endDate: yearBefore(endDate) };
  const length = daysIn(days);
  return { startDate: addDays(startDate, -length), endDate: addDays(endDate, -length) };
}

/** The 29th of February becomes the 28th. */
const yearBefore = (day: string): string =>
  `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`.replace(/-02-29$/, '-02-28');

/** By how many percent a figure has changed, with two decimals; null where the earlier one is 0 or either is unknown. */
export const changePercent = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : Math.round(((now - before) / before) * 10_000) / 100 + 0;
