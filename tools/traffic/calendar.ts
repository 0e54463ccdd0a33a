import { Random } from './random';
import { visit, type Visit } from './visit';

/** The plan of how much traffic there is, and when. */
export interface Plan {
  readonly seed: number;
  /** Epoch ms; the traffic ends here. */
  readonly end: number;
  readonly days: number;
  /** Different people. All of them come, if there are at least as many visits. */
  readonly visitors: number;
  readonly visits: number;
  /** Share of them on the day (UTC) of the end, in its last hour at least; absent = that of the calendar. */
  readonly today?: number;
}

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STREAM = 3;
/** Visits by hour of the day (UTC) and by day of the week (from Sunday). */
const HOURS = [3, 2, 2, 2, 3, 4, 6, 8, 10, 11, 11, 10, 10, 11, 12, 12, 11, 10, 9, 9, 8, 7, 5, 4];
const WEEKDAYS = [6, 10, 11, 11, 10, 9, 6];
/** The greater this is, the more visits belong to the people who came first. */
const LOYALTY = 1.5;

/** The visits of a plan, hour by hour, each hour in no particular order. */
export function* hoursOf(plan: Plan): Generator<readonly Visit[]> {
  const hours = Math.round(plan.days * 24);
  const start = plan.end - hours * HOUR_MS;
  const shares = sharesOf(plan, start, hours);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const random = new Random(plan.seed, STREAM);
  let known = 0;
  let number = 0;
  let share = 0;
  for (const [hour, weight] of shares.entries()) {
    share += weight;
    const visits: Visit[] = [];
    for (const until = Math.round((share / total) * plan.visits); number < until; number++) {
      const comesFirst = known === 0 || random.chance((plan.visitors - known) / (plan.visits - number));
      const visitor = comesFirst ? known++ : Math.floor(known * random.next() ** LOYALTY);
      visits.push(visit(plan.seed, number, visitor, Math.floor(start + (hour + random.next()) * HOUR_MS)));
    }
    yield visits;
  }
}

function sharesOf({ end, today }: Plan, start: number, hours: number): readonly number[] {
  const weights = Array.from({ length: hours }, (_, hour) => weightOf(start + hour * HOUR_MS));
  if (today === undefined) return weights;
  const midnight = end - (end % DAY_MS);
  const isToday = (hour: number) => start + hour * HOUR_MS >= midnight || hour === hours - 1;
  const sum = (ofToday: boolean) =>
    weights.reduce((total, weight, hour) => (isToday(hour) === ofToday ? total + weight : total), 0);
  const factor = ((today / (1 - today)) * sum(false)) / sum(true);
  return weights.map((weight, hour) => (isToday(hour) ? weight * factor : weight));
}

/** Returns the weight of the hour of that time among those of a week. */
export function weightOf(at: number): number {
  const date = new Date(at);
  return (HOURS[date.getUTCHours()] ?? 1) * (WEEKDAYS[date.getUTCDay()] ?? 1);
}
