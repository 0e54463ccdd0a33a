import type { MonitorState } from '@ledgerline/contracts/read-models/monitors';
import { run, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';

/** In `expirations`: from when results of all monitors are kept. */
export const MONITOR_RESULTS = 'monitors';

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

/** Monitors whose check is long past. */
export interface OverdueMonitors {
  readonly monitors: number;
  /** When the check was due that is longest past; null = none is overdue. */
  readonly since: Date | null;
}

/** The time after its own, and after the process that took it last should have ended it, a check is overdue. */
const LATE = '8 seconds';
/** Longer than a check can take that is made: one that is taken again and again is overdue, too. */
const TOO_LATE = '90 seconds';

export async function readOverdueMonitors(main: Queryable): Promise<OverdueMonitors> {
  const [row] = await run<OverdueMonitors & Record<string, unknown>>(
    main,
    sql`select count(*)::integer as monitors, min(due_at) as since from monitor_schedule
        where due_at < now() - ${TOO_LATE}::interval
          or due_at < now() - ${LATE}::interval and coalesce(claimed_until, due_at) < now() - ${LATE}::interval`,
  );
  return row ?? { monitors: 0, since: null };
}
