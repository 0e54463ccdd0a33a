import type { Pool } from 'pg';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';

/**
 * Returns how far the projections of decided events have come in a store, and which events they leave out for good.
 * @throws StartFailure while others are parked, which could not be found in the copy
 */
export async function checkpointsIn(pool: Pool, store: EventStore): Promise<Cursor[]> {
  const epoch = await store.epoch();
  const [parked] = await run(
    pool,
    sql`select from parked_events where epoch = ${epoch} and accepted_at is null limit 1`,
  );
  if (parked)
    throw new StartFailure('Events are parked: retry or accept them first (npm run projections -- parked list).');
  const rows = await run<{ cursor: Cursor }>(
    pool,
    sql`select cursor from projection_checkpoints where epoch = ${epoch}
        union select cursor from parked_events where epoch = ${epoch}`,
  );
  return rows.map(({ cursor }) => cursor);
}

/**
 * Lets the projections of decided events go on in the copy, each behind the event it has come to in the source.
 * @throws StartFailure when one of them moved meanwhile; nothing is changed then
 */
export async function moveCheckpoints(
  pool: Pool,
  source: Pick<EventStore, 'epoch'>,
  target: Pick<EventStore, 'epoch'>,
  places: ReadonlyMap<Cursor, Cursor>,
): Promise<void> {
  const [from, to] = await Promise.all([source.epoch(), target.epoch()]);
  await transaction(pool, async (client) => {
    await run(client, sql`select from projection_checkpoints where epoch = ${from} for update`);
    for (const [cursor, place] of places) {
      const isThere = sql`epoch = ${from} and cursor = ${cursor}`;
      await run(
        client,
        sql`update projection_checkpoints set epoch = ${to}, cursor = ${place}, digest = null, stopped = null where ${isThere}`,
      );
      await run(client, sql`update parked_events set epoch = ${to}, cursor = ${place} where ${isThere}`);
    }
    const [left] = await run(client, sql`select from projection_checkpoints where epoch = ${from} limit 1`);
    if (left) throw new StartFailure('Projections advanced meanwhile; stop the product and run this again.');
  });
}
