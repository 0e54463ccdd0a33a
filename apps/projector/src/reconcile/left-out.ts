import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { CheckpointKey } from '../runner/checkpoint';

/** The events that the tables of a version lack on purpose: those that are parked in it, or were accepted as left out. */
export async function readLeftOut(on: Queryable, key: CheckpointKey, epoch: string): Promise<ReadonlySet<Cursor>> {
  const rows = await run<{ cursor: Cursor }>(
    on,
    sql`select cursor from parked_events
      where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}
        and (version = ${key.version} or accepted_at is not null)`,
  );
  return new Set(rows.map(({ cursor }) => cursor));
}
