import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { isAlive } from '../config/runtime-file';
import { openPool, run } from '../database/pool';
import { sql } from '../database/sql';
import { withinTimeout } from '../log/timing';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import type { Metrics } from '../metrics/metrics';
import { Poll, SilenceWatch, TICK_MS, UNKNOWN_AFTER_MS } from './poll';
import {
  type App,
  BEAT_MS,
  type ProcessIdentity,
  type ProcessRow,
  type StoreCheck,
  type StoreState,
  probeSpace,
  readProcesses,
  storeFailureReason,
  removeProcesses,
  writeBeat,
} from './store-checks';

interface HeartbeatParts {
  readonly app: App;
  readonly databaseUrl: string;
  /** The checks of stores; those of the database are added. */
  readonly checks: readonly StoreCheck[];
  readonly metrics: Metrics;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Connections of their own, so that a pool that is busy makes no process look dead: for the row, for reading, and for
 * the space on the disk. What answers late does not fail.
 */
const POOL = {
  name: 'heartbeat',
  max: 3,
  connectTimeoutMs: UNKNOWN_AFTER_MS,
  statementTimeoutMs: UNKNOWN_AFTER_MS,
  queryTimeoutMs: UNKNOWN_AFTER_MS,
};
const READ_EVERY_MS = 1_000;
const SPACE_EVERY_MS = 4_000;
/** Longest time for which the end of a process waits for its row to go, ms. */
const LEAVE_MS = 5_000;

/**
 * Writes every two seconds that this process lives, and what it sees of its stores: one is down when its last poll
 * failed, or none was answered for ten seconds. The row is removed when the process ends in order.
 */
export class Heartbeat implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly self: ProcessIdentity;
  private readonly pool: Pool;
  private readonly polls: ReadonlyMap<StoreCheck, Poll<unknown>>;
  private readonly silence: SilenceWatch;
  private readonly stopping = new AbortController();
  private mayHavePredecessors = true;
  private beating: Promise<void> | undefined;
  private ticking: NodeJS.Timeout | undefined;

  constructor(private readonly parts: HeartbeatParts) {
    this.self = { id: randomUUID(), app: parts.app, host: hostname(), pid: process.pid };
    this.pool = openPool({ ...POOL, url: parts.databaseUrl });
    const beat: StoreCheck = { store: 'database', operation: 'write', check: () => this.beat() };
    const read: StoreCheck = {
      store: 'database',
      operation: 'read',
      everyMs: READ_EVERY_MS,
      check: () => run(this.pool, sql`select`),
    };
    const space: StoreCheck = {
      store: 'database',
      operation: 'write',
      everyMs: SPACE_EVERY_MS,
      check: () => probeSpace(this.pool),
    };
    const reading = new Poll(read.check);
    this.silence = new SilenceWatch(reading);
    const others = [space, ...parts.checks].map((check) => [check, new Poll(check.check)] as const);
    this.polls = new Map([[beat, new Poll(beat.check)], [read, reading], ...others]);
    this.observe();
  }

  /** The states of the stores as this process sees them. */
  get stores(): readonly StoreState[] {
    const found = new Map<string, StoreState>();
    for (const [check, poll] of this.polls) {
      const state = stateOf(check, poll);
      if (state === undefined) continue;
      const key = `${state.store} ${state.place ?? ''} ${state.operation}`;
      if (found.get(key)?.reason == null) found.set(key, state); // one of several checks of an operation may fail
    }
    return [...found.values()];
  }

  /** This process, as it sees itself. */
  get row(): ProcessRow {
    return { ...this.self, stores: this.stores, silentMs: 0 };
  }

  /** Does what waits for the database. @throws LogUnavailable as soon as that answers no poll either */
  get whileAnswering(): SilenceWatch['whileAnswering'] {
    return (work, failure) => this.silence.whileAnswering(work, failure);
  }

  onApplicationBootstrap(): void {
    const [beating] = [...this.polls].map(([check, poll]) => this.follow(check, poll));
    this.beating = beating;
    this.ticking = setInterval(() => this.silence.tick(), TICK_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.ticking);
    await withinTimeout(LEAVE_MS, () => this.leave());
  }

  private async leave(): Promise<void> {
    await this.beating; // the other checks may wait for a store that hangs
    await removeProcesses(this.pool, [this.self.id]).catch((err: unknown) =>
      this.parts.logger.warn({ err }, 'this process is shown as stopped for a while, as its row cannot be removed'),
    );
    await this.pool.end();
  }

  private follow({ store, place, operation, everyMs = BEAT_MS }: StoreCheck, poll: Poll<unknown>): Promise<void> {
    const name = `the ${operation} check of ${store}${place === undefined ? '' : ` ${place}`}`;
    const outage = new OutageLog(this.parts.logger, { began: `${name} fails`, ended: `${name} succeeds again` });
    return poll.follow(everyMs, this.stopping.signal, ({ failure }) => {
      if (this.stopping.signal.aborted) return; // as its connections end
      if (failure === undefined) outage.succeeded();
      else outage.failed(failure.error);
    });
  }

  private async beat(): Promise<void> {
    if (this.mayHavePredecessors) await this.removePredecessors();
    this.mayHavePredecessors = false;
    if (!this.stopping.signal.aborted) await writeBeat(this.pool, this.self, this.stores);
  }

  /** Removes the processes of this machine that died, such as the one that this process replaces. */
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

/** Undefined before the first answer. */
function stateOf({ store, place, operation, holdsClicks }: StoreCheck, poll: Poll<unknown>): StoreState | undefined {
  const { answer, failure } = poll;
  const reason = failureReason(poll);
  if (answer === undefined && reason === null) return undefined;
  const since = reason === null ? null : (failure?.since ?? answer?.time ?? new Date()).toISOString();
  return { store, place, operation, reason, since, holdsClicks: holdsClicks?.() ? true : undefined };
}

function failureReason({ failure, isOverdue }: Poll<unknown>): string | null {
  if (failure) return storeFailureReason(failure.error);
  return isOverdue ? 'It does not answer.' : null;
}
