import type { CheckWarning, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { percentage } from '../query/rows';

/** A downtime: two checks in a row or more have failed. */
export interface Downtime {
  /** The first failing check. */
  readonly startedAt: number;
  /** The first check that is up again, or the last one before none was made for long or it was paused; null = it goes on. */
  readonly endedAt: number | null;
}

const FAILURES_OF_DOWNTIME = 2;
/** After so many intervals without a check nothing is known of a monitor. */
export const STALE_INTERVALS = 3;

export const isDown = ({ failures }: MonitorState): boolean => failures >= FAILURES_OF_DOWNTIME;

/** Returns whether there was no check for so long at a time (epoch ms) that the state says nothing about it. */
export const isStale = ({ lastAt, intervalSeconds }: Pick<MonitorState, 'lastAt' | 'intervalSeconds'>, now: number) =>
  now - lastAt > STALE_INTERVALS * intervalSeconds * 1_000;

/**
 * The state after one more check, and the downtimes that it begins or ends. A check that is recorded after a later one, as
 * by a process that hung, changes nothing. A planned maintenance ends a downtime, and nothing in it begins one.
 */
export function afterCheck(
  state: MonitorState | undefined,
  check: Check,
): { readonly state: MonitorState; readonly downtimes: readonly Downtime[] } {
  const { at, data } = check;
  if (state && at <= state.lastAt) return { state, downtimes: [] };
  const { intervalSeconds, up, status, durationMs, failure } = data;
  const isGap = state !== undefined && (data.resumed || isStale(state, at));
  const { failures, failingSince } = failuresAfter(isGap ? undefined : state, check);
  const begun =
    failures === FAILURES_OF_DOWNTIME && failingSince !== null ? [{ startedAt: failingSince, endedAt: null }] : [];
  return {
    state: { lastAt: at, intervalSeconds, up, status, durationMs, failure, failures, failingSince },
    downtimes: [...downtimeEnded(state, check, isGap), ...begun],
  };
}

type Check = Pick<MonitorChecked, 'at' | 'data'>;

type Failures = Pick<MonitorState, 'failures' | 'failingSince'>;
const NO_FAILURES: Failures = { failures: 0, failingSince: null };

function failuresAfter(before: Failures = NO_FAILURES, { at, data }: Check): Failures {
  if (data.up || data.maintenance) return NO_FAILURES;
  return { failures: before.failures + 1, failingSince: before.failingSince ?? at };
}

/** The downtime that a check ends; one in which none was made for long ended with the last check. */
function downtimeEnded(state: MonitorState | undefined, { at, data }: Check, isGap: boolean): Downtime[] {
  if (!state || !isDown(state) || !(isGap || data.up || data.maintenance)) return [];
  return [{ startedAt: state.failingSince ?? state.lastAt, endedAt: isGap ? state.lastAt : at }];
}

export const MONITOR_STATUSES = ['up', 'down', 'degraded', 'unknown', 'maintenance'] as const;
export type MonitorStatus = (typeof MONITOR_STATUSES)[number];

export const OVERALL_STATUSES = ['operational', 'degraded', 'outage', 'unknown', 'maintenance'] as const;
export type OverallStatus = (typeof OVERALL_STATUSES)[number];

/** The conditions that decide the status besides the state. */
interface MonitorConditions {
  /** True if a maintenance is under way. */
  readonly isMaintained?: boolean;
  /** The warning of the newest check. */
  readonly warning?: CheckWarning | null;
}

const DEGRADING: readonly (CheckWarning | null)[] = ['slow', 'certificate'];

/**
 * Degraded: the newest check failed, which one more makes a downtime, or which was in a maintenance that is over; or it was
 * up, but slow or with a certificate that ends soon. Unknown: paused, never checked, or stale at `now`.
 */
export function monitorStatus(
  state: MonitorState | undefined,
  paused: boolean,
  now: number,
  { isMaintained = false, warning = null }: MonitorConditions = {},
): MonitorStatus {
  if (isMaintained) return 'maintenance';
  if (!state || paused || isStale(state, now)) return 'unknown';
  if (isDown(state)) return 'down';
  return state.up && !DEGRADING.includes(warning) ? 'up' : 'degraded';
}

/** In percent; 100 only if no check failed, null of no checks. */
export function uptimePercentage(checks: number, failed: number): number | null {
  if (checks === 0) return null;
  const share = percentage(checks - failed, checks);
  return failed > 0 ? Math.min(share, 99.99) : share;
}

/** The status of several monitors together: an outage if all that are known are down, operational if all are up. */
export function overallStatus(statuses: readonly MonitorStatus[]): OverallStatus {
  const known = statuses.filter((status) => status !== 'unknown');
  if (known.length === 0) return 'unknown';
  if (known.every((status) => status === 'down')) return 'outage';
  if (known.some((status) => status === 'down' || status === 'degraded')) return 'degraded';
  if (known.includes('maintenance')) return 'maintenance';
  return known.length === statuses.length ? 'operational' : 'unknown';
}
