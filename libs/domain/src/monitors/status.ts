import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { isDown, isStale } from './downtime';

export const MONITOR_STATUSES = ['up', 'down', 'degraded', 'unknown'] as const;
export type MonitorStatus = (typeof MONITOR_STATUSES)[number];

export const OVERALL_STATUSES = ['operational', 'degraded', 'outage', 'unknown'] as const;
export type OverallStatus = (typeof OVERALL_STATUSES)[number];

/** Degraded: the newest check failed, which one more makes a downtime. Unknown: paused, never checked, or stale at `now`. */
export function monitorStatus(state: MonitorState | undefined, paused: boolean, now: number): MonitorStatus {
  if (!state || paused || isStale(state, now)) return 'unknown';
  if (isDown(state)) return 'down';
  return state.failures > 0 ? 'degraded' : 'up';
}

/** Of several monitors: an outage if all that are known are down, operational if all are up. */
export function overallStatus(statuses: readonly MonitorStatus[]): OverallStatus {
  const known = statuses.filter((status) => status !== 'unknown');
  if (known.length === 0) return 'unknown';
  if (known.every((status) => status === 'down')) return 'outage';
  if (known.some((status) => status !== 'up')) return 'degraded';
  return known.length === statuses.length ? 'operational' : 'unknown';
}
