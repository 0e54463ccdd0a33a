import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';

/** How far the projections of decided events have come in a store. */
export async function checkpointsIn(pool: Pool, store: EventStore): Promise<Cursor[]> {
  const epoch = await store.epoch();
  const rows = await run<{ cursor: Cursor }>(
    pool,
    sql`select distinct cursor from projection_checkpoints where epoch = ${epoch}`,
  );
  return rows.map(({ cursor }) => cursor);
}

/** Lets the projections of decided events go on in the copy, each behind the event it has come to in the source. */
export async function moveCheckpoints(
  pool: Pool,
  source: EventStore,
  target: EventStore,
  places: ReadonlyMap<Cursor, Cursor>,
): Promise<void> {
  const [from, to] = await Promise.all([source.epoch(), target.epoch()]);
  await transaction(pool, async (client) => {
    for (const [cursor, place] of places)
      await run(
        client,
        sql`update projection_checkpoints set epoch = ${to}, cursor = ${place}, stopped = null
            where epoch = ${from} and cursor = ${cursor}`,
      );
  });
}
