import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';

/**
 * Lets the projections of decided events go on in the copy: a checkpoint with nothing left to read in the source
 * becomes the head of the target. Answers how many are left behind, and have to be rebuilt.
 */
export async function moveCheckpoints(database: Queryable, source: EventStore, target: EventStore): Promise<number> {
  const [from, to, head] = await Promise.all([source.epoch(), target.epoch(), target.head(0)]);
  const checkpoints = await run<{ cursor: string }>(
    database,
    sql`select distinct cursor from projection_checkpoints where epoch = ${from}`,
  );
  let left = 0;
  for (const { cursor } of checkpoints) {
    if (await isAtEnd(source, cursor)) {
      await run(
        database,
        sql`update projection_checkpoints set epoch = ${to}, cursor = ${head}, stopped = null
            where epoch = ${from} and cursor = ${cursor}`,
      );
    } else left += 1;
  }
  return left;
}

async function isAtEnd(source: EventStore, cursor: string): Promise<boolean> {
  const { events, next, atHead } = await source.read(0, cursor, { max: 500 });
  if (events.length > 0) return false;
  return atHead || isAtEnd(source, next);
}
