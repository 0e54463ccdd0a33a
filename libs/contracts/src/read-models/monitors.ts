import type { CheckFailure, CheckWarning } from '../events/observed-events';
import { histogram, key, last, readModel, sum } from './read-model';

/**
 * By block of time, as for links: checks outside of planned maintenance, those that failed, and how long those took that
 * did not, in ms: their sum, and their durations by bin.
 */
export const monitorChecks15min = readModel('monitor_checks_15min', {
  monitor_id: key('text'),
  span: key('smallint'),
  start_15min: key('timestamptz'),
  checks: sum(),
  failed: sum(),
  duration_ms: sum(),
  durations: histogram(),
});

/** The state after the newest check, planned maintenance included. */
export const monitorStates = readModel('monitor_states', {
  monitor_id: key('text'),
  last_at: last('timestamptz'),
  interval_seconds: last('integer'),
  up: last('boolean'),
  status: last('integer?'),
  duration_ms: last('integer'),
  failure: last('text?'),
  /** In a row, the newest included. */
  failures: last('integer'),
  failing_since: last('timestamptz?'),
});

/**
 * The state of a monitor after its checks in the order of the log; a row of {@link monitorStates} with times in epoch
 * ms.
 */
export interface MonitorState {
  readonly lastAt: number;
  /** The interval of the monitor when it was checked last. */
  readonly intervalSeconds: number;
  readonly up: boolean;
  readonly status: number | null;
  readonly durationMs: number;
  readonly failure: CheckFailure | null;
  /** Checks that have failed in a row. */
  readonly failures: number;
  /** The first of them; null = none has. */
  readonly failingSince: number | null;
}

/**
 * The findings of the newest check beyond the state: a table of its own, as one that states are computed from stands
 * still while it is filled.
 */
export const monitorResults = readModel('monitor_results', {
  monitor_id: key('text'),
  warning: last('text?'),
  detail: last('text?'),
  certificate_expires_at: last('timestamptz?'),
});

/** A row of {@link monitorResults} with times in epoch ms. */
export interface MonitorResult {
  readonly warning: CheckWarning | null;
  readonly detail: string | null;
  readonly certificateExpiresAt: number | null;
}

/** Two failed checks in a row or more; `ended_at` null = it goes on, as far as checks go. */
export const monitorDowntimes = readModel('monitor_downtimes', {
  monitor_id: key('text'),
  started_at: key('timestamptz'),
  ended_at: last('timestamptz?'),
});
