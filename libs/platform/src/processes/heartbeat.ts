import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { Pool } from 'pg';
import { isAlive } from '../config/runtime-file';
import { openPool } from '../database/pool';
import { pause } from '../log/timing';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import type { Metrics } from '../metrics/metrics';
import {
  type App,
  BEAT_MS,
  type ProcessIdentity,
  type ProcessRow,
  type StoreCheck,
  StoreFault,
  type StoreState,
  probeSpace,
  readProcesses,
  reasonOf,
  removeProcesses,
  writeBeat,
} from './store-checks';

interface HeartbeatParts {
  readonly app: App;
  readonly databaseUrl: string;
  /** Those of the database are added. */
  readonly checks: readonly StoreCheck[];
  readonly metrics: Metrics;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** An answer that takes longer counts as none, and the check goes on waiting for it. */
const OVERDUE_MS = 3_000;
/** A connection of its own, so that a pool that is busy makes no process look dead. */
const POOL = {
  name: 'heartbeat',
  max: 1,
  connectTimeoutMs: OVERDUE_MS,
  statementTimeoutMs: OVERDUE_MS,
  queryTimeoutMs: OVERDUE_MS,
};
const SPACE_EVERY_MS = 4_000;

/**
 * Writes every two seconds that this process lives, and what it sees of its stores: each is judged by what it was last
 * asked to do. The row is removed when the process ends in order.
 */
export class Heartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly self: ProcessIdentity;
  private readonly pool: Pool;
  private readonly checks: readonly StoreCheck[];
  private readonly states = new Map<StoreCheck, StoreState>();
  private readonly stopping = new AbortController();
  private mayHavePredecessors = true;
  private spaceProbedAt = -Infinity;
  private beating: Promise<void> | undefined;

  constructor(private readonly parts: HeartbeatParts) {
    this.self = { id: randomUUID(), app: parts.app, host: hostname(), pid: process.pid };
    this.pool = openPool({ ...POOL, url: parts.databaseUrl });
    const beat: StoreCheck = { store: 'database', operation: 'write', check: () => this.beat() };
    const read: StoreCheck = { store: 'database', operation: 'read', check: () => readProcesses(this.pool) };
    this.checks = [beat, read, ...parts.checks];
    this.observe();
  }

  /** Of the stores as this process sees them. */
  get stores(): readonly StoreState[] {
    const found = new Map<string, StoreState>();
    for (const state of this.states.values()) {
      const key = `${state.store} ${state.place ?? ''} ${state.operation}`;
      if (found.get(key)?.reason == null) found.set(key, state); // one of several checks of an operation may fail
    }
    return [...found.values()];
  }

  /** This process, as it sees itself. */
  get row(): ProcessRow {
    return { ...this.self, stores: this.stores, silentMs: 0 };
  }

  onApplicationBootstrap(): void {
    const [beating] = this.checks.map((check) => this.follow(check));
    this.beating = beating;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.beating; // the other checks may wait for a store that hangs
    await removeProcesses(this.pool, [this.self.id]).catch((err: unknown) =>
      this.parts.logger.warn({ err }, 'this process is shown as stopped for a while, as its row cannot be removed'),
    );
    await this.pool.end();
  }

  private async follow(check: StoreCheck): Promise<void> {
    const { signal } = this.stopping;
    const { store, place, operation } = check;
    const name = `the ${operation} check of ${store}${place === undefined ? '' : ` ${place}`}`;
    const outage = new OutageLog(this.parts.logger, { began: `${name} fails`, ended: `${name} succeeds again` });
    while (!signal.aborted) {
      const overdue = setTimeout(() => this.note(check, new StoreFault('It does not answer.')), OVERDUE_MS);
      try {
        await check.check();
        this.note(check, null);
        outage.succeeded();
      } catch (error) {
        if (this.stopping.signal.aborted) return; // as its connections end
        this.note(check, error);
        outage.failed(error);
      } finally {
        clearTimeout(overdue);
      }
      await pause(BEAT_MS, signal);
    }
  }

  private note(check: StoreCheck, failure: unknown): void {
    const { store, place, operation } = check;
    const since = failure === null ? null : (this.states.get(check)?.since ?? new Date().toISOString());
    const reason = failure === null ? null : reasonOf(failure);
    const holdsClicks = check.holdsClicks?.() ? ({ holdsClicks: true } as const) : {};
    const placed = place === undefined ? {} : { place };
    this.states.set(check, { store, ...placed, operation, reason, since, ...holdsClicks });
  }

  private async beat(): Promise<void> {
    if (this.mayHavePredecessors) await this.removePredecessors();
    this.mayHavePredecessors = false;
    if (this.stopping.signal.aborted) return;
    await writeBeat(this.pool, this.self, this.stores);
    const now = performance.now();
    const isFailing = this.stores.some(({ store, operation, reason }) => {
      return store === 'database' && operation === 'write' && reason !== null;
    });
    if (!isFailing && now - this.spaceProbedAt < SPACE_EVERY_MS) return;
    await probeSpace(this.pool);
    this.spaceProbedAt = now;
  }

  /** Those of this machine that died, such as the one that this process replaces. */
  private async removePredecessors(): Promise<void> {
    const { app, host, pid } = this.self;
    const same = (await readProcesses(this.pool)).filter((one) => one.app === app && one.host === host);
    const dead = same.filter((one) => one.pid === pid || !isAlive(one.pid));
    if (dead.length > 0)
      await removeProcesses(
        this.pool,
        dead.map(({ id }) => id),
      );
  }

  private observe(): void {
    const up = new Gauge({
      name: 'ledgerline_store_up',
      help: 'Whether this process was answered by a store at its last read and its last write: 1, or 0',
      labelNames: ['store', 'operation'],
      registers: [this.parts.metrics.registry],
    });
    this.parts.metrics.beforeReading(() => {
      up.reset();
      for (const { store, place, operation, reason } of this.stores)
        up.set({ store: place === undefined ? store : `${store}_${place}`, operation }, reason === null ? 1 : 0);
    });
  }
}
