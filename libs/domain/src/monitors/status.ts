import type { CheckWarning } from '@ledgerline/contracts/events/observed-events';
import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { percentage } from '../query/rows';
import { isDown, isStale } from './downtime';

export const MONITOR_STATUSES = ['up', 'down', 'degraded', 'unknown', 'maintenance'] as const;
export type MonitorStatus = (typeof MONITOR_STATUSES)[number];

export const OVERALL_STATUSES = ['operational', 'degraded', 'outage', 'unknown', 'maintenance'] as const;
export type OverallStatus = (typeof OVERALL_STATUSES)[number];

/** What decides the status besides the state. */
interface MonitorConditions {
  /** Whether a maintenance is under way. */
  readonly isMaintained?: boolean;
  /** Of the newest check. */
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

/** Of several monitors: an outage if all that are known are down, operational if all are up. */
export function overallStatus(statuses: readonly MonitorStatus[]): OverallStatus {
  const known = statuses.filter((status) => status !== 'unknown');
  if (known.length === 0) return 'unknown';
  if (known.every((status) => status === 'down')) return 'outage';
  if (known.some((status) => status === 'down' || status === 'degraded')) return 'degraded';
  if (known.includes('maintenance')) return 'maintenance';
  return known.length === statuses.length ? 'operational' : 'unknown';
}
