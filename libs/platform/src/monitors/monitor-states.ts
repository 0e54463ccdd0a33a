import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { run, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';

/** The states of those of these monitors that were ever checked, in the tables of one version. */
export async function readMonitorStates(
  on: Queryable,
  table: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, MonitorState>> {
  if (ids.length === 0) return new Map();
  const rows = await run<Row>(
    on,
    sql`select monitor_id as id, last_at as "lastAt", interval_seconds as "intervalSeconds", up, status,
        duration_ms as "durationMs", failure, failures, failing_since as "failingSince"
      from ${table} where monitor_id = any(${ids}::text[])`,
  );
  return new Map(
    rows.map(({ id, lastAt, failingSince, ...state }) => [
      id,
      { ...state, lastAt: lastAt.getTime(), failingSince: failingSince?.getTime() ?? null },
    ]),
  );
}

interface Row extends Omit<MonitorState, 'lastAt' | 'failingSince'> {
  readonly id: string;
  readonly lastAt: Date;
  readonly failingSince: Date | null;
}
