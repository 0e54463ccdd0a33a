import { offsetAt } from '../time/zones';

const DAY_MS = 24 * 60 * 60_000;

/** Local days of one time zone as numbers. */
export interface Calendar {
  /** The local day of an instant, in days since 1970-01-01. */
  day(at: number): number;
}

const calendars = new Map<string, Calendar>();

export function calendarOf(zone: string): Calendar {
  let calendar = calendars.get(zone);
  if (!calendar) calendars.set(zone, (calendar = { day: (at) => Math.floor((at + offsetAt(at, zone)) / DAY_MS) }));
  return calendar;
}
