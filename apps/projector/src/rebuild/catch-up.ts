import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EpochChanged, LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { BoundGroup } from '../runner/bound-group';
import type { Runner, Step } from '../runner/partition-runner';
import { eventsOf, readLive, type LivePosition } from './live-position';

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
}

/** Two partitions hold two such batches each, which is most of the memory that a rebuild takes. */
const BATCH = 5_000;
/** Limit for a live version that advances faster than the new one. */
const MAX_ROUNDS = 50;
const MAX_PAUSE_MS = 10_000;
const OUTRUN_MS = 200;
/** Partitions filled at once; each computes its next batch while one is written, and more would only take memory. */
const CONCURRENT_PARTITIONS = 2;

/** Brings a version to less than a batch behind the live one, which moves on meanwhile. */
export async function catchUpClosely(wanted: CatchUp): Promise<void> {
  const { group, batch = BATCH } = wanted;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const reached = await catchUp(wanted);
    const live = await readLive(group.pool, group);
    if (live.events - reached.events < batch) return;
  }
  throw new NotRebuilt(
    `Events of ${group.name} arrive faster than a rebuild reads them; nothing was changed. Try again when it is quieter.`,
  );
}

/** Brings a version to the position that the live one has now, which it returns; to the head of a log that was replaced. */
export async function catchUp({ group, version, onProgress, signal, batch = BATCH }: CatchUp): Promise<LivePosition> {
  const live = await readLive(group.pool, group);
  const partitions = [...live.cursors.keys()];
  const work = async () => {
    for (let partition = partitions.shift(); partition !== undefined; partition = partitions.shift()) {
      const upTo = live.sameLog ? live.cursors.get(partition) : undefined;
      const runner = group.runner({ partition, batch, version, upTo });
      for (
        let step = await stepWithRetries(runner, group);
        step !== 'idle';
        step = await stepWithRetries(runner, group)
      ) {
        signal?.throwIfAborted();
        if (onProgress) onProgress(await eventsOf(group.pool, group, version), live.events);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_PARTITIONS }, work));
  onProgress?.(await eventsOf(group.pool, group, version), live.events);
  return live;
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
