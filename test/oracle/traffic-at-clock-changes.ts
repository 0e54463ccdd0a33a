import fc from 'fast-check';
import { DateTime } from 'luxon';
import { addDays } from '@ledgerline/domain/time/zones';
import { hit, trafficOf } from './random-traffic';

/** When clocks skip or repeat a part of an hour, or two hours. */
const CHANGES: readonly (readonly [zone: string, at: string])[] = [
  ['Pacific/Chatham', '2026-04-04T14:00:00Z'],
  ['Pacific/Chatham', '2026-09-26T14:00:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
];

/** Traffic within four hours of a change of clocks, and a range of one or two days that is asked for early on the last of them. */
export const trafficAtClockChange = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    hits: fc.array(fc.tuple(hit, fc.integer({ min: -240, max: 240 })), { minLength: 20, maxLength: 60 }),
    days: fc.constantFrom(1, 1, 2),
    hour: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ change: [zone, at], hits, days, hour }) => {
    const start = addDays(at.slice(0, 10), -2);
    const minutes = (Date.parse(at) - Date.parse(start)) / 60_000;
    const near = hits.map(([random, after]) => ({
      ...random,
      moment: { ...random.moment, minute: minutes + after, week: 0 as const },
    }));
    const changed = DateTime.fromISO(at, { zone });
    const endDate = addDays(changed.toISODate()!, days);
    const now = DateTime.fromISO(`${endDate}T0${hour}:37:00`, { zone }).toMillis();
    return {
      some: trafficOf(zone, start, near),
      range: { startDate: addDays(endDate, 1 - days), endDate, timezone: zone, now },
    };
  });
