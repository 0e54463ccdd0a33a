import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import type { BoundGroup } from '../projections/catalogue';
import { readLive } from './live-places';

/** Told after every batch: events written so far, and how many the version that answers has. */
export type OnProgress = (written: number, total: number) => void;

interface CatchUp {
  readonly pool: Pool;
  readonly group: BoundGroup;
  readonly version: number;
  /** Where to stop in each partition; by default where the version that answers stands. */
  readonly upTo?: ((partition: number) => Cursor | undefined) | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Events per transaction: visitors seen once per batch are loaded and written once. */
const BATCH = 20_000;
/** Partitions at work at the same time: while one computes, the other writes. */
const AT_ONCE = 2;

/** Brings a version to where the live one stands, or as far as it is told. */
export async function catchUp({ pool, group, version, upTo, onProgress }: CatchUp): Promise<void> {
  const live = await readLive(pool, group);
  const end = upTo ?? (live.sameLog ? (partition: number) => live.cursors.get(partition) : () => undefined);
  const partitions = [...live.cursors.keys()];
  const work = async () => {
    for (let partition = partitions.shift(); partition !== undefined; partition = partitions.shift()) {
      const at = partition;
      const runner = group.runner({ partition, batch: BATCH, version, upTo: () => end(at) });
      for (let step = await runner.step(); step !== 'idle'; step = await runner.step()) {
        if (onProgress) onProgress(await eventsOf(pool, group, version), live.events);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  onProgress?.(await eventsOf(pool, group, version), live.events);
}

async function eventsOf(pool: Pool, { name }: BoundGroup, version: number): Promise<number> {
  const [row] = await run<{ events: number }>(
    pool,
    sql`select coalesce(sum(events), 0)::float8 as events from projection_checkpoints
      where projection_group = ${name} and version = ${version}`,
  );
  return row?.events ?? 0;
}
