import type { ClickRange } from '../../api/link-clicks';
import { isDay, optionalText } from '../search-params';

/** Days up to today; the first entry is shown at first. */
export const RANGES = [
  ['30d', 'Last 30 days'],
  ['1d', 'Today'],
  ['7d', 'Last 7 days'],
  ['90d', 'Last 90 days'],
  ['365d', 'Last 365 days'],
] as const;

/** Of the address: how many days up to today, or the first and last day. */
export interface RangeSearch {
  readonly range?: string;
  readonly startDate?: string;
  readonly endDate?: string;
}

export function rangeOf(search: Record<string, unknown>): RangeSearch {
  const { startDate = '', endDate = '' } = { ...optionalText(search, 'startDate'), ...optionalText(search, 'endDate') };
  if (isDay(startDate) && isDay(endDate) && startDate <= endDate) return { startDate, endDate };
  const { range } = optionalText(search, 'range');
  return RANGES.some(([each]) => each === range) ? { range } : {};
}

/** In the time zone of the browser. */
export function clickRange({ range = RANGES[0][0], startDate, endDate }: RangeSearch): ClickRange {
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  if (startDate !== undefined && endDate !== undefined) return { startDate, endDate, timezone };
  return { startDate: dayBefore(Number.parseInt(range) - 1), endDate: dayBefore(0), timezone };
}

function dayBefore(days: number): string {
  const now = new Date();
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  return new Intl.DateTimeFormat('sv').format(day); // YYYY-MM-DD
}
