import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-store';
import type { BoundGroup } from '../runner/bound-group';

/** The position of the live version. */
export interface LivePosition {
  readonly version: number;
  /** By partition. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  readonly events: number;
  /** False if the log was replaced since: then its cursors are invalid. */
  readonly sameLog: boolean;
  /** False if it also has rows of partitions that other stores serve now. */
  readonly ownOnly: boolean;
}

export const readLive = (on: Queryable, group: BoundGroup): Promise<LivePosition> => position(on, group, sql``);

/** The same, and locks it there until the transaction ends. */
export const lockLive = (on: Queryable, group: BoundGroup): Promise<LivePosition> =>
  position(on, group, sql`for update of projection_checkpoints`);

async function position(on: Queryable, { name, log, share }: BoundGroup, lock: Sql): Promise<LivePosition> {
  const rows = await run<{ version: number; partition: number; cursor: Cursor; epoch: string; events: string }>(
    on,
    sql`select version, partition, cursor, epoch, events
      from projection_checkpoints join projection_groups on name = projection_group and version = live_version
      where projection_group = ${name} order by partition ${lock}`,
  );
  const epoch = await log.epoch();
  const own = rows.filter(({ partition }) => serves(share, partition));
  return {
    version: rows[0]?.version ?? 1,
    cursors: new Map(own.map(({ partition, cursor }) => [partition, cursor])),
    events: own.reduce((sum, { events }) => sum + Number(events), 0),
    sameLog: own.every((row) => row.epoch === epoch),
    ownOnly: own.length === rows.length,
  };
}

/** Events that a version has projected. */
export async function eventsOf(on: Queryable, { name }: BoundGroup, version: number): Promise<number> {
  const [row] = await run<{ events: number }>(
    on,
    sql`select coalesce(sum(events), 0)::float8 as events from projection_checkpoints
      where projection_group = ${name} and version = ${version}`,
  );
  return row?.events ?? 0;
}
