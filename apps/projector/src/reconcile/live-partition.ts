import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import type { WrittenTables } from '../projections/written-tables';
import type { BoundGroup } from '../runner/bound-group';
import { readCheckpoint, type CheckpointKey } from '../runner/checkpoint';
import { resolveTables } from '../runner/resolve-tables';
import type { LogPart } from './log-counts';

/** The tables of a partition that answer, and the part of the log that they follow from. */
export interface LivePartition {
  readonly pool: Pool;
  readonly part: LogPart;
  readonly key: CheckpointKey;
  /** Those that are frozen or mean something else are not in it: they are not compared. */
  readonly tables: WrittenTables;
  /** In which `tables` are those that answer. */
  readonly layout: string;
  /** Whether the events that the tables lack on purpose are still those of `part`. */
  readonly isCurrent: () => Promise<boolean>;
}

/** With the events of these types. @throws TablesOfAnotherProgram */
export async function openLivePartition(
  group: BoundGroup,
  partition: number,
  types: readonly string[],
): Promise<LivePartition> {
  const { pool, name } = group;
  const log = group.log as LogReader<LoggedHit>; // such groups read the intake log
  const { version, layout, tables } = await resolveTables(pool, group, 'live');
  const key: CheckpointKey = { group: name, version, partition };
  const epoch = await log.epoch();
  const leftOut = await readLeftOut(pool, key, epoch);
  const isCurrent = async () => {
    const now = await readLeftOut(pool, key, epoch);
    return now.size === leftOut.size && [...now].every((cursor) => leftOut.has(cursor));
  };
  const part = { log, partition, types, isLeftOut: (cursor: string) => leftOut.has(cursor) };
  return { pool, part, key, tables, layout, isCurrent };
}

/** Up to where the tables have the log, as a transaction sees both. @throws Error if other tables answer by now */
export async function positionOf(on: Queryable, { key, layout }: LivePartition): Promise<Cursor> {
  const [group] = await run<{ layout: string }>(
    on,
    sql`select layout from projection_groups where name = ${key.group}`,
  );
  if (group?.layout !== layout) throw new Error(`Other tables of ${key.group} answer by now; comparing begins again.`);
  return (await readCheckpoint(on, key))?.cursor ?? BEGINNING;
}

/** The table of a model that answers, quoted, with the columns that it has; undefined if it is not compared. */
export function answeringTable(tables: WrittenTables, model: ReadModel) {
  const [target] = tables.targetsOf(model);
  return target && { ...target, table: identifier(target.schema, model.name).text };
}

/** The events that the tables of a version lack on purpose: those that are parked in it, or were accepted as left out. */
async function readLeftOut(on: Queryable, key: CheckpointKey, epoch: string): Promise<ReadonlySet<Cursor>> {
  const rows = await run<{ cursor: Cursor }>(
    on,
    sql`select cursor from parked_events
      where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}
        and (version = ${key.version} or accepted_at is not null)`,
  );
  return new Set(rows.map(({ cursor }) => cursor));
}
