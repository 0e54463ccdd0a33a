import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { Gauge } from 'prom-client';
import type { Pool } from 'pg';
import type { Metrics } from '../metrics/metrics';
import { readOverdueMonitors } from '../monitors/monitor-states';

export const APPS = ['api', 'tracker', 'projector'] as const;

export type App = (typeof APPS)[number];

export const STORES = ['database', 'event_store', 'read_store', 'kafka', 'click_spool'] as const;

/** How a process was answered by a store that it was last asked to read or write. */
export interface StoreState {
  readonly store: (typeof STORES)[number];
  /** Of a read store: its place in READ_DATABASE_URLS. */
  readonly place?: number;
  readonly operation: 'read' | 'write';
  /** One sentence, without data of events, addresses or secrets; null = it works. */
  readonly reason: string | null;
  /** Since when it does not, ISO 8601 UTC. */
  readonly since: string | null;
}

/** One process, as it writes it. */
export interface ProcessIdentity {
  readonly id: string;
  readonly app: App;
  readonly host: string;
  readonly pid: number;
}

/** One process, as all others see it. */
export interface ProcessRow extends ProcessIdentity {
  readonly stores: readonly StoreState[];
  /** Since its last heartbeat, by the clock of the database. */
  readonly silentMs: number;
}

/** How often a process writes its row. */
export const BEAT_MS = 2_000;
/** After this time without a heartbeat a process counts as stopped. */
const SILENT_MS = 6_500;
/** For so long a process that ended without taking its row away is shown. */
const SHOWN_FOR = '5 minutes';

export const isSilent = ({ silentMs }: Pick<ProcessRow, 'silentMs'>): boolean => silentMs > SILENT_MS;

/** Writes the row of a process, and drops those of processes that died a while ago. */
export const writeBeat = (on: Queryable, { id, app, host, pid }: ProcessIdentity, stores: readonly StoreState[]) =>
  run(
    on,
    sql`with dead as (
          delete from processes where beat_at < clock_timestamp() - ${SHOWN_FOR}::interval and id <> ${id}
        )
        insert into processes (id, app, host, pid, started_at, beat_at, stores)
        values (${id}, ${app}, ${host}, ${pid}, clock_timestamp(), clock_timestamp(), ${JSON.stringify(stores)}::jsonb)
        on conflict (id) do update set beat_at = excluded.beat_at, stores = excluded.stores`,
  );

export const removeProcesses = (on: Queryable, ids: readonly string[]) =>
  run(on, sql`delete from processes where id = any(${ids}::uuid[])`);

export const readProcesses = (on: Queryable): Promise<ProcessRow[]> =>
  run<ProcessRow>(
    on,
    sql`select id, app, host, pid, stores,
          (greatest(0, extract(epoch from clock_timestamp() - beat_at)) * 1000)::float8 as "silentMs"
        from processes order by app, started_at, id`,
  );

/** Which processes have a heartbeat, and what they leave undone; read from the database, so that every process reports the same. */
export function observeProcesses(metrics: Metrics, main: Pool): void {
  const { registry } = metrics;
  const up = new Gauge({
    name: 'ledgerline_process_up',
    help: '1 for a process with a heartbeat; 0 for one whose heartbeat stopped, for five minutes after that',
    labelNames: ['process', 'host', 'pid'],
    registers: [registry],
  });
  const overdue = new Gauge({
    name: 'ledgerline_monitors_overdue',
    help: 'Monitors whose check is long past',
    registers: [registry],
  });
  metrics.beforeReading(async () => {
    up.reset();
    const read = Promise.all([readProcesses(main), readOverdueMonitors(main)]);
    const [processes, { monitors }] = await read.catch(() => [[], { monitors: Number.NaN }] as const); // ledgerline_store_up says why
    for (const { app, host, pid, ...row } of processes)
      up.set({ process: app, host, pid: String(pid) }, isSilent(row) ? 0 : 1);
    overdue.set(monitors);
  });
}
