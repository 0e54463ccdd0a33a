import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import {
  monitorDowntimes,
  monitorResults,
  monitorStates,
  type MonitorState,
} from '@ledgerline/contracts/read-models/monitors';
import { afterCheck, type Downtime } from '@ledgerline/domain/monitors/downtime';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { readMonitorStates } from '@ledgerline/platform/monitors/monitor-states';
import type { Changes } from '../projection-group';
import { upsertInto, type WrittenTables } from '../written-tables';

type States = NonNullable<Changes['monitors']>;

/** What checks change in the states, results and downtimes of monitors, which depend on the checks before them. */
export async function changeStates(
  on: Queryable,
  tables: WrittenTables,
  checks: readonly MonitorChecked[],
  unwritten: States = new Map(),
): Promise<Changes> {
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
