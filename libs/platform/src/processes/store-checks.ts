import { statfs } from 'node:fs/promises';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { isDiskFull, isUnavailable } from '../database/database-errors';
import { type Queryable, run, transaction } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import type { IntakeSender } from '../intake-log/intake-log';
import { LogUnavailable, StreamDead } from '../log/log-reader';
import type { Metrics } from '../metrics/metrics';
import { readOverdueMonitors } from '../monitors/monitor-states';
import type { ReadStore } from '../read-stores/read-stores';

/** The check of one operation of a store. */
export interface StoreCheck extends Pick<StoreState, 'store' | 'place' | 'operation'> {
  /** Resolves while it works. */
  readonly check: () => Promise<unknown>;
  /** See {@link StoreState}. */
  readonly holdsClicks?: () => boolean;
  /** From an answer to the next try, ms; by default as often as a process writes its row. */
  readonly everyMs?: number;
}

/** A store fails, for a reason that operators may read. */
export class StoreFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreFault';
  }
}

/** Real work decides for so long; a store that had none is probed. */
const RECENT_MS = 4_000;

/** The outcome of real work on a store lately: any failure counts, as a store may fail for some of it. */
class RecentWork {
  private failure: unknown;
  private failedAt = -Infinity;
  private succeededAt = -Infinity;

  async record<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      this.succeededAt = performance.now();
      return result;
    } catch (error) {
      const isOutage = (error instanceof LogUnavailable && !(error instanceof StreamDead)) || isUnavailable(error);
      if (isOutage) {
        this.failure = error;
        this.failedAt = performance.now();
      }
      throw error;
    }
  }

  /** @throws what failed lately */
  async orElse(probe: () => Promise<unknown>): Promise<void> {
    const from = performance.now() - RECENT_MS;
    if (this.failedAt > from) throw this.failure;
    if (this.succeededAt <= from) await probe();
  }
}

/** Judges by what is appended from now on. */
export function checkAppends(store: EventStore): StoreCheck {
  const work = new RecentWork();
  const append = store.append.bind(store);
  const appendInOrder = store.appendInOrder.bind(store);
  store.append = (...details) => work.record(append(...details));
  store.appendInOrder = (appends) => work.record(appendInOrder(appends));
  return { store: 'event_store', operation: 'write', check: () => work.orElse(() => store.probe()) };
}

/** Judges by what is sent from now on. */
export function checkSending(log: IntakeSender, store: 'kafka' | 'database'): StoreCheck {
  const work = new RecentWork();
  const send = log.send.bind(log);
  log.send = (hits) => work.record(send(hits));
  return { store, operation: 'write', check: () => work.orElse(() => log.probe()) };
}

export const checkReading = (store: EventStore): StoreCheck => ({
  store: 'event_store',
  operation: 'read',
  check: () => store.head(0),
});

/**
 * Makes a server of Postgres write a megabyte to its disk, as a row can still be changed in place on one that is full. It
 * is a temporary file: no log, no table and no lock is touched.
 */
export const probeSpace = (pool: Pool): Promise<unknown> =>
  transaction(pool, async (client) => {
    await run(client, sql`set local work_mem = '64kB'`);
    await run(
      client,
      sql`select pg_current_xact_id(), count(*) from (
            select filler from (select repeat(md5(n::text), 250) as filler from generate_series(1, 128) n) rows
            order by filler collate "C"
          ) sorted`,
    );
  });

export const checkReadStoreReading = ({ pool, place }: ReadStore): StoreCheck => ({
  store: 'read_store',
  place,
  operation: 'read',
  check: () => run(pool, sql`select`),
});

export const checkReadStore = ({ pool, place }: ReadStore): StoreCheck => ({
  store: 'read_store',
  place,
  operation: 'write',
  check: () => probeSpace(pool),
});

/** Room that a folder must have left. */
const LEAST_BYTES = 16 * 1024 * 1024;

/** @throws StoreFault when hardly anything fits on the disk of a folder */
export async function assertRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const bytes = bavail * bsize;
  if (bytes < LEAST_BYTES) throw new StoreFault(`Its disk has ${Math.floor(bytes / 1024)} KB left.`);
}

/** One sentence; an unknown error may quote data, and is in the log of the process. */
export function storeFailureReason(error: unknown): string {
  if (error instanceof StoreFault) return error.message;
  if (isDiskFull(error)) return 'Its disk is full.';
  if (error instanceof LogUnavailable) return error.message;
  if (isUnavailable(error)) return 'It cannot be reached just now.';
  return 'It answers with an error, which is in the log of the process.';
}

export const APPS = ['api', 'tracker', 'projector'] as const;

export type App = (typeof APPS)[number];

export const STORES = ['database', 'event_store', 'read_store', 'kafka', 'click_spool'] as const;

/** The state of a store as a process found it when it last read or wrote there. */
export interface StoreState {
  readonly store: (typeof STORES)[number];
  /** The place of a read store in READ_DATABASE_URLS. */
  readonly place?: number;
  readonly operation: 'read' | 'write';
  /** One sentence, without data of events, addresses or secrets; null = it works. */
  readonly reason: string | null;
  /** Since when it does not, ISO 8601 UTC. */
  readonly since: string | null;
  /** True of a click spool in which clicks wait that the log did not take; absent = none do. */
  readonly holdsClicks?: true;
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

/** The time, ms, between two writes of a process's row. */
export const BEAT_MS = 2_000;
/** After this time without a heartbeat a process counts as stopped. */
const SILENT_MS = 6_500;
/** For so long a process that ended without taking its row away is shown. */
const SHOWN_FOR = '5 minutes';

export const isSilentProcess = ({ silentMs }: Pick<ProcessRow, 'silentMs'>): boolean => silentMs > SILENT_MS;

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

/** Returns whether clicks wait in the spool of a tracker, as far as heartbeats say. */
export async function readSpooledClicks(on: Queryable): Promise<boolean> {
  const holding = JSON.stringify([{ holdsClicks: true }]);
  const rows = await run(on, sql`select from processes where stores @> ${holding}::jsonb limit 1`);
  return rows.length > 0;
}

/**
 * Observes which processes have a heartbeat, and what they leave undone; read from the database, so that every process
 * reports the same.
 */
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
    overdue.set(Number.NaN);
    const [processes, { monitors }] = await Promise.all([readProcesses(main), readOverdueMonitors(main)]);
    for (const { app, host, pid, ...row } of processes)
      up.set({ process: app, host, pid: String(pid) }, isSilentProcess(row) ? 0 : 1);
    overdue.set(monitors);
  });
}
