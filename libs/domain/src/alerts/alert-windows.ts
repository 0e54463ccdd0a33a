import { ALERT_FIGURES, type AlertSettings } from '@ledgerline/contracts/events/alert.events';
import type { InstantRange } from '../query/buckets';
import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { addDays, dayOf, instantAt, offsetAt, startOfDay } from '../time/zones';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const DAY_MS = DAY_MINUTES * MINUTE_MS;

/** How long windows can be, and the steps at which they end; minutes. */
const STEPS: ReadonlyMap<number, number> = new Map([
  [5, 5],
  [15, 5],
  [30, 5],
  [60, 5],
  [180, 15],
  [360, 30],
  [720, 60],
  [DAY_MINUTES, 120],
  [7 * DAY_MINUTES, DAY_MINUTES],
]);

export const WINDOW_MINUTES: readonly number[] = [...STEPS.keys()];

/** The windows of an alert: how long they are, in which time zone they end, and whether they are of whole days alone. */
export interface WindowShape {
  readonly minutes: number;
  readonly zone: string;
  readonly wholeDays: boolean;
}

/** The windows of a shape that end after an instant and until another one (epoch ms), in the order of time. */
export function windowsBetween(shape: WindowShape, after: number, until: number): InstantRange[] {
  const windows: InstantRange[] = [];
  for (let next = nextWindow(shape, after); next.to <= until; next = nextWindow(shape, next.to)) windows.push(next);
  return windows;
}

/** The first window of a shape that ends after an instant (epoch ms). */
export function nextWindow(shape: WindowShape, after: number): InstantRange {
  const step = stepOf(shape) * MINUTE_MS;
  const grid = Math.min(step, FIFTEEN_MINUTES_MS);
  let end = (Math.floor(after / grid) + 1) * grid;
  while (!isEnd(end, shape.zone, step)) end += grid;
  return windowAt(shape, end);
}

/** The window that ends at an instant: of days by the clock, so that one can be of 23 hours; of hours as they elapse. */
export function windowAt({ minutes, zone }: WindowShape, end: number): InstantRange {
  if (minutes < DAY_MINUTES) return { from: end - minutes * MINUTE_MS, to: end };
  return { from: daysEarlier(end, minutes / DAY_MINUTES, zone), to: end };
}

const WEEKS = 4;

/** The windows that end at the same weekday and time of the clock in the last four weeks, the latest first. */
export const usualWindows = (shape: WindowShape, { to }: InstantRange): InstantRange[] =>
  Array.from({ length: WEEKS }, (_, week) => windowAt(shape, daysEarlier(to, 7 * (week + 1), shape.zone)));

const stepOf = ({ minutes, wholeDays }: WindowShape): number => {
  const step = STEPS.get(minutes);
  if (step === undefined) throw new RangeError(`No window has ${minutes} minutes.`);
  return wholeDays ? DAY_MINUTES : step;
};

/** Clocks show a multiple of the step, or skip one. Days begin once, also where midnight is skipped or repeated. */
function isEnd(at: number, zone: string, step: number): boolean {
  if (step === DAY_MS) return startOfDay(dayOf(at, zone), zone) === at;
  const local = at + offsetAt(at, zone);
  const before = at - 1 + offsetAt(at - 1, zone);
  return local % step === 0 || Math.floor(local / step) > Math.floor(before / step);
}

/** The same time of the clock so many days earlier, or the beginning of that day, also where midnight is skipped. */
function daysEarlier(at: number, days: number, zone: string): number {
  const earlier = at - days * DAY_MS;
  const offset = offsetAt(at, zone);
  if (offset === offsetAt(earlier - DAY_MS, zone) && offset === offsetAt(earlier + DAY_MS, zone)) return earlier;
  const day = dayOf(at, zone);
  if (startOfDay(day, zone) === at) return startOfDay(addDays(day, -days), zone);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return instantAt(addDays(day, -days), at + offsetAt(at, zone) - midnight, zone);
}

/** The windows of an alert, by the clock of a time zone; figures of whole sessions are of whole days. */
export const windowShape = (
  { figure, window }: Pick<AlertSettings, 'figure' | 'window'>,
  zone: string,
): WindowShape => ({
  minutes: window.minutes,
  zone,
  wholeDays: ALERT_FIGURES[figure].minMinutes === DAY_MINUTES,
});
