import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { hourOf, offsetAt } from '../time/zones';

const DAY_MS = 24 * 60 * 60_000;

/** Local days and hours of one time zone as numbers, cached because millions of hits need the same few. */
export interface Calendar {
  /** The local day of an instant, in days since 1970-01-01. */
  day(at: number): number;
  /** The instant (epoch ms) at which the local hour began. */
  hour(at: number): number;
}

const calendars = new Map<string, Calendar>();

export function calendarOf(zone: string): Calendar {
  let calendar = calendars.get(zone);
  if (!calendar) calendars.set(zone, (calendar = openCalendar(zone)));
  return calendar;
}

function openCalendar(zone: string): Calendar {
  const hours = new Map<number, number>();
  return {
    day: (at) => Math.floor((at + offsetAt(at, zone)) / DAY_MS),
    hour(at) {
      const interval = Math.floor(at / FIFTEEN_MINUTES_MS);
      let hour = hours.get(interval);
      if (hour === undefined) {
        hour = hourOf(at, zone);
        if (hours.size > 100_000) hours.clear();
        hours.set(interval, hour);
      }
      return hour;
    },
  };
}
