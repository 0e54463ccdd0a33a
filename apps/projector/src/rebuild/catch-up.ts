import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { EpochChanged, LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { BoundGroup } from '../runner/bound-group';
import type { Runner, Step } from '../runner/partition-runner';
import { eventsOf, lockLive, readLive, type LivePosition } from './live-position';

/** A rebuild that ended without changing anything; its message is the reason. */
export class NotRebuilt extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'NotRebuilt';
  }
}

/** Another process rebuilds the group, or has just done it. */
export class RebuiltElsewhere extends NotRebuilt {}

/** Called after every batch with the events written so far, and those of the live version. */
export type OnProgress = (written: number, total: number) => void;

export interface CatchUp {
  readonly group: BoundGroup;
  readonly version: number;
  readonly onProgress?: OnProgress | undefined;
  /** Events per transaction. */
  readonly batch?: number | undefined;
  /** Ends it between two batches; it can go on later. */
  readonly signal?: AbortSignal | undefined;
  /** How long it works at most. */
  readonly maxMs?: number | undefined;
}

/** Two partitions hold two such batches each, which is most of the memory that a rebuild takes. */
const BATCH = 5_000;
/** A live version that advances as fast as the new one is held for so much longer in each round, and moves on in between. */
const [HOLD_MS, MAX_HOLD_MS, TURN_MS] = [1_000, 30_000, 2_000];
const MAX_PAUSE_MS = 10_000;
const OUTRUN_MS = 200;
/** Partitions filled at once; each computes its next batch while one is written, and more would only take memory. */
const CONCURRENT_PARTITIONS = 2;

/** Brings a version to less than a batch behind the live one, which moves on most of the time. */
export async function catchUpClosely(wanted: CatchUp): Promise<void> {
  const { group, batch = BATCH } = wanted;
  let [behind, holdMs] = [Infinity, 0];
  for (;;) {
    wanted.signal?.throwIfAborted();
    const reached = await (holdMs === 0 ? catchUp(wanted) : catchUpWhileHeld(wanted, holdMs));
    const gap = reached ? (await readLive(group.pool, group)).events - reached.events : Infinity;
    if (gap < batch) return;
    if (!reached || gap > behind / 2) holdMs = Math.min(holdMs + HOLD_MS, MAX_HOLD_MS);
    behind = gap;
  }
}

/** Undefined if the time was too short. */
async function catchUpWhileHeld(wanted: CatchUp, maxMs: number): Promise<LivePosition | undefined> {
  const { group } = wanted;
  await catchUp({ ...wanted, maxMs: TURN_MS });
  return transaction(group.pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    await lockLive(client, group);
    return catchUp({ ...wanted, maxMs });
  });
}

/**
 * Brings a version to the position that the live one has now, which it returns; to the head of a log that was replaced.
 * Undefined if the time was over before.
 */
export async function catchUp(wanted: CatchUp): Promise<LivePosition | undefined> {
  const { group, version, onProgress, signal, batch = BATCH, maxMs = Infinity } = wanted;
  const live = await readLive(group.pool, group);
  const partitions = [...live.cursors.keys()];
  const end = performance.now() + maxMs;
  const work = async (): Promise<boolean> => {
    for (let partition = partitions.shift(); partition !== undefined; partition = partitions.shift()) {
      const upTo = live.sameLog ? live.cursors.get(partition) : undefined;
      const runner = group.runner({ partition, batch, version, upTo });
      for (
        let step = await stepWithRetries(runner, group);
        step !== 'idle';
        step = await stepWithRetries(runner, group)
      ) {
        signal?.throwIfAborted();
        if (performance.now() > end) return false;
        if (onProgress) onProgress(await eventsOf(group.pool, group, version), live.events);
      }
    }
    return true;
  };
  const isWhole = await Promise.all(Array.from({ length: CONCURRENT_PARTITIONS }, work));
  onProgress?.(await eventsOf(group.pool, group, version), live.events);
  return isWhole.every(Boolean) ? live : undefined;
}

/** A step, retried while the log or the database cannot be reached. */
async function stepWithRetries(runner: Runner, group: BoundGroup): Promise<Step> {
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      const step = await runner.step();
      if (step === 'outrun') await setTimeout(OUTRUN_MS);
      return step;
    } catch (error) {
      const passes = error instanceof LogUnavailable || isUnavailable(error);
      if (!passes || error instanceof EpochChanged || pauseMs > MAX_PAUSE_MS) throw error;
      group.invalidateCaches();
      await setTimeout(pauseMs);
    }
  }
}
