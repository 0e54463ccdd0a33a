import type { CheckFailure, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { monitorDowntimes, monitorStates } from '@ledgerline/contracts/read-models/monitors';
import { afterCheck, type Downtime, type MonitorState } from '@ledgerline/domain/monitors/downtime';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { Changes } from '../projection-group';

type States = NonNullable<Changes['monitors']>;

/** What checks change in the states and downtimes of monitors, which depend on the checks before them. */
export async function changeStates(
  on: Queryable,
  schema: string,
  checks: readonly MonitorChecked[],
  unwritten: States = new Map(),
): Promise<Changes> {
  const ids = [...new Set(checks.map(({ data }) => data.monitorId))];
  const before = await storedStates(
    on,
    schema,
    ids.filter((id) => !unwritten.has(id)),
  );
  const monitors = new Map<string, MonitorState>();
  const downtimes = new Map<string, Downtime & { readonly id: string }>();
  for (const check of checks) {
    const id = check.data.monitorId;
    const after = afterCheck(monitors.get(id) ?? unwritten.get(id) ?? before.get(id), check);
    monitors.set(id, after.state);
    for (const each of after.downtimes) downtimes.set(`${id} ${each.startedAt}`, { id, ...each });
  }
  const rows = [...downtimes.values()].map(({ id, startedAt, endedAt }) => {
    return { monitor_id: id, started_at: startedAt, ended_at: endedAt };
  });
  const statements = [
    ...(monitors.size > 0 ? [upsert(schema, monitorStates, [...monitors].map(rowOf))] : []),
    ...(rows.length > 0 ? [upsert(schema, monitorDowntimes, rows)] : []),
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

async function storedStates(on: Queryable, schema: string, ids: readonly string[]): Promise<States> {
  if (ids.length === 0) return new Map();
  const rows = await run<Stored>(
    on,
    sql`select monitor_id as id, last_at as "lastAt", interval_seconds as "intervalSeconds", up, status,
        duration_ms as "durationMs", failure, failures, failing_since as "failingSince"
      from ${identifier(schema, monitorStates.name)} where monitor_id = any(${ids}::text[])`,
  );
  return new Map(
    rows.map(({ id, lastAt, failingSince, ...state }) => [
      id,
      { ...state, lastAt: lastAt.getTime(), failingSince: failingSince?.getTime() ?? null },
    ]),
  );
}

interface Stored extends Omit<MonitorState, 'lastAt' | 'failingSince'> {
  readonly id: string;
  readonly lastAt: Date;
  readonly failingSince: Date | null;
  readonly failure: CheckFailure | null;
}
