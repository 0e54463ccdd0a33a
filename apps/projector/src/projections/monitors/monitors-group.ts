import type { AlertDecided, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { alertDecisions } from '@ledgerline/contracts/read-models/alerts';
import {
  monitorChecks15min,
  monitorDowntimes,
  monitorResults,
  monitorStates,
  type MonitorState,
} from '@ledgerline/contracts/read-models/monitors';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/time-blocks';
import { durationBin } from '@ledgerline/contracts/sessions/session';
import { type Downtime, afterCheck } from '@ledgerline/domain/monitors/status';
import { blockStart } from '@ledgerline/domain/time/fifteen-minutes';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { FoldedRows } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { readMonitorStates } from '@ledgerline/platform/monitors/monitor-states';
import {
  describeHit,
  upsertInto,
  type TableChanges,
  type ProjectionGroup,
  type WrittenTables,
} from '../projection-group';

/** Returns what single checks and decisions of alerts add, and what depends on the checks before them: states and downtimes. */
export const monitorsGroup = (): ProjectionGroup<LoggedHit> => ({
  name: 'monitors',
  builds: GROUP_TABLES.monitors.builds,
  state: GROUP_TABLES.monitors.state,
  types: ['MonitorChecked', 'AlertDecided'],
  cursorOf: ({ offset }) => String(offset),
  loggedAt: ({ event }) => event.receivedAt,
  describe: ({ event }) => {
    const { data } = event as MonitorChecked | AlertDecided; // the types of `types`
    return 'alertId' in data
      ? describeHit(event, data.alertId, 'alert')
      : describeHit(event, data.monitorId, 'monitor');
  },
  prepare: (logged) => {
    const checks = logged.flatMap(({ event }) => (event.type === 'MonitorChecked' ? [event] : []));
    const decided = logged.flatMap(({ event }) => (event.type === 'AlertDecided' ? [decisionOf(event)] : []));
    const counts = new FoldedRows(monitorChecks15min);
    for (const check of checks) for (const row of countsOf(check)) counts.add(row);
    return Promise.resolve(async (on, tables, unwritten) => {
      const changed = await changeStates(on, tables, checks, unwritten?.monitors);
      const counted = counts.size > 0 ? upsertInto(tables, monitorChecks15min, counts.values()) : [];
      const decisions = decided.length > 0 ? upsertInto(tables, alertDecisions, decided) : [];
      return { ...changed, statements: [...counted, ...decisions, ...changed.statements] };
    });
  },
  invalidateCaches: () => undefined,
});

const decisionOf = ({ id, data }: AlertDecided) => ({
  id,
  alert_id: data.alertId,
  outcome: data.outcome,
  began_at: data.from,
  ended_at: data.to,
  told_at: data.toldAt,
  revision: data.revision,
  figure: data.figure,
  usual: data.usual,
  as_of: data.asOf,
  why: data.why,
  windows: data.windows,
});

/** Tells how a check counts in its 15 minutes and in its day. */
function countsOf({ at, data: { monitorId, up, durationMs, maintenance } }: MonitorChecked) {
  if (maintenance) return [];
  return LINK_SPANS.map((span) => ({
    monitor_id: monitorId,
    span,
    start_15min: blockStart(at, span),
    checks: 1,
    failed: up ? 0 : 1,
    duration_ms: up ? durationMs : 0,
    durations: up ? [durationBin(durationMs), 1] : [],
  }));
}

type States = NonNullable<TableChanges['monitors']>;

/**
 * Returns what checks change in the states, results and downtimes of monitors, which depend on the checks before them.
 */
async function changeStates(
  on: Queryable,
  tables: WrittenTables,
  checks: readonly MonitorChecked[],
  unwritten: States = new Map(),
): Promise<TableChanges> {
  const ids = [...new Set(checks.map(({ data }) => data.monitorId))];
  const before = await readMonitorStates(
    on,
    identifier(tables.state, monitorStates.name),
    ids.filter((id) => !unwritten.has(id)),
  );
  const monitors = new Map<string, MonitorState>();
  const downtimes = new Map<string, Downtime & { readonly id: string }>();
  const results = new Map<string, MonitorChecked['data']>();
  for (const check of checks) {
    const id = check.data.monitorId;
    const known = monitors.get(id) ?? unwritten.get(id) ?? before.get(id);
    const after = afterCheck(known, check);
    monitors.set(id, after.state);
    if (after.state !== known) results.set(id, check.data);
    for (const each of after.downtimes) downtimes.set(`${id} ${each.startedAt}`, { id, ...each });
  }
  const rows = [...downtimes.values()].map(({ id, startedAt, endedAt }) => {
    return { monitor_id: id, started_at: startedAt, ended_at: endedAt };
  });
  const statements = [
    ...(monitors.size > 0 ? upsertInto(tables, monitorStates, [...monitors].map(rowOf)) : []),
    ...(results.size > 0 ? upsertInto(tables, monitorResults, [...results.values()].map(resultOf)) : []),
    ...(rows.length > 0 ? upsertInto(tables, monitorDowntimes, rows) : []),
  ];
  return { statements, monitors };
}

const rowOf = ([id, state]: readonly [string, MonitorState]) => ({
  monitor_id: id,
  last_at: state.lastAt,
  interval_seconds: state.intervalSeconds,
  up: state.up,
  status: state.status,
  duration_ms: state.durationMs,
  failure: state.failure,
  failures: state.failures,
  failing_since: state.failingSince,
});

const resultOf = ({ monitorId, warning, detail, certificateExpiresAt }: MonitorChecked['data']) => ({
  monitor_id: monitorId,
  warning,
  detail,
  certificate_expires_at: certificateExpiresAt,
});
