import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '@ledgerline/platform/database/unavailable';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { EpochChanged, LogUnavailable, type Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import type { BoundGroup } from '../projections/catalogue';
import type { Runner, Step } from '../runner/partition-runner';
import { readLive, type LivePlaces } from './live-places';
import { NotRebuilt } from './not-rebuilt';

/** Told after every batch: events written so far, and how many the version that answers has. */
export type OnProgress = (written: number, total: number) => void;

export interface CatchUp {
  readonly pool: Pool;
  readonly group: BoundGroup;
  readonly version: number;
  /** Where to stop in each partition; by default where the version that answers stands. */
  readonly upTo?: ((partition: number) => Cursor | undefined) | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Events per transaction. */
  readonly batch?: number | undefined;
}

/** Visitors seen once per batch are loaded and written once. */
const BATCH = 20_000;
/** A live version that is faster than the new one is not chased for ever. */
const MOST_ROUNDS = 50;
const LONGEST_PAUSE_MS = 10_000;
const OUTRUN_MS = 200;
/** Partitions at work at the same time; each computes its next batch while one is written, and more would only take memory. */
const AT_ONCE = 2;

/** Brings a version so near to the live one that less than a batch is left, as the live one goes on meanwhile. */
export async function catchUpClosely(wanted: Omit<CatchUp, 'upTo'>): Promise<void> {
  const { pool, group, batch = BATCH } = wanted;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const reached = await catchUp(wanted);
    const live = await readLive(pool, group);
    if (live.events - reached.events < batch) return;
  }
  throw new NotRebuilt(
    `Events of ${group.name} arrive faster than a rebuild reads them; nothing was changed. Try again when it is quieter.`,
  );
}

/** Brings a version to where the live one stands, or as far as it is told; answers where the live one stood. */
export async function catchUp({ pool, group, version, upTo, onProgress, batch = BATCH }: CatchUp): Promise<LivePlaces> {
  const live = await readLive(pool, group);
  const end = upTo ?? (live.sameLog ? (partition: number) => live.cursors.get(partition) : () => undefined);
  const partitions = [...live.cursors.keys()];
  const work = async () => {
    for (let partition = partitions.shift(); partition !== undefined; partition = partitions.shift()) {
      const at = partition;
      const runner = group.runner({ partition, batch, version, upTo: () => end(at) });
      for (let step = await persist(runner, group); step !== 'idle'; step = await persist(runner, group)) {
        if (onProgress) onProgress(await eventsOf(pool, group, version), live.events);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  onProgress?.(await eventsOf(pool, group, version), live.events);
  return live;
}

/** A step that waits out what passes by itself, such as a database that restarts. */
async function persist(runner: Runner, group: BoundGroup): Promise<Step> {
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      const step = await runner.step();
      if (step === 'outrun') await setTimeout(OUTRUN_MS);
      return step;
    } catch (error) {
      const passes = error instanceof LogUnavailable || isUnavailable(error);
      if (!passes || error instanceof EpochChanged || pauseMs > LONGEST_PAUSE_MS) throw error;
      group.distrust();
      await setTimeout(pauseMs);
    }
  }
}

export async function eventsOf(pool: Pool, { name }: BoundGroup, version: number): Promise<number> {
  const [row] = await run<{ events: number }>(
    pool,
    sql`select coalesce(sum(events), 0)::float8 as events from projection_checkpoints
      where projection_group = ${name} and version = ${version}`,
  );
  return row?.events ?? 0;
}
