import { arrivals, type Arrival } from '../traffic/arrivals';
import type { Plan } from '../traffic/calendar';
import type { Options } from './options';

/** Maximum age of a browser's events, less an hour for the time to send everything. */
export const BROWSER_DAYS = 7;
const IN_HAND_MS = 3_600_000;

/** More days bring people back more often. */
const visitsOf = (visitors: number, days: number) => Math.round(visitors * (1 + 0.12 * days));

/** The traffic of the last days, oldest first, an hour at a time. */
export function* trafficOf({ seed, visitors, days }: Options, end: number): Generator<readonly Arrival[]> {
  const plan = (of: number): Plan => ({ seed, end, visitors, days: of, visits: visitsOf(visitors, of) });
  const oldest = end - BROWSER_DAYS * 86_400_000 + IN_HAND_MS;
  if (days > BROWSER_DAYS) yield* serverEventsBefore(oldest, plan(days));
  for (const hour of arrivals(plan(Math.min(days, BROWSER_DAYS)))) yield hour.filter(({ hit }) => hit.at >= oldest);
}

/** Servers send with an API key, which allows any day since 2000. */
function* serverEventsBefore(oldest: number, plan: Plan): Generator<readonly Arrival[]> {
  const earlier = { ...plan, seed: plan.seed + 1 };
  for (const hour of arrivals(earlier)) yield hour.filter(({ hit }) => hit.kind === 'server' && hit.at < oldest);
}
