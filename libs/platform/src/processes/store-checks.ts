import { statfs } from 'node:fs/promises';
import { isDiskFull, isUnavailable } from '../database/database-errors';
import { run, transaction } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import type { IntakeSender } from '../intake-log/intake-log';
import { LogUnavailable } from '../log/log-reader';
import type { ReadStore } from '../read-stores/read-store';
import type { Pool } from 'pg';
import type { StoreState } from './process-rows';

/** How one operation of a store is judged. */
export interface StoreCheck extends Pick<StoreState, 'store' | 'place' | 'operation'> {
  /** Resolves while it works. */
  readonly check: () => Promise<unknown>;
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

/** What real work on a store came to lately: any failure counts, as a store may fail for some of it. */
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
      const isOutage = error instanceof LogUnavailable || isUnavailable(error);
      if (isOutage) [this.failure, this.failedAt] = [error, performance.now()];
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
  const [append, appendInOrder] = [store.append.bind(store), store.appendInOrder.bind(store)];
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
export function reasonOf(error: unknown): string {
  if (error instanceof StoreFault) return error.message;
  if (isDiskFull(error)) return 'Its disk is full.';
  if (error instanceof LogUnavailable) return error.message;
  if (isUnavailable(error)) return 'It cannot be reached just now.';
  return 'It answers with an error, which is in the log of the process.';
}
