import type { Group } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run, runPrepared } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';

/** One row of `projection_checkpoints`: one version of a group in one partition of its log. */
export interface CheckpointKey {
  readonly group: Group;
  readonly version: number;
  readonly partition: number;
}

interface Checkpoint {
  readonly cursor: Cursor;
  /** The digest of the log up to the cursor. */
  readonly digest: string | null;
  readonly epoch: string;
  readonly stopped: string | null;
  /** Grows whenever something else than a batch changes rows, or what is parked. */
  readonly parkedRevision: number;
}

export async function readCheckpoint(on: Queryable, key: CheckpointKey): Promise<Checkpoint | undefined> {
  const [row] = await runPrepared<Checkpoint>(
    on,
    'read checkpoint',
    sql`select cursor, digest, epoch, stopped, parked_revision as "parkedRevision"
        from projection_checkpoints where ${at(key)}`,
  );
  return row;
}

type StoredPosition = Pick<Checkpoint, 'cursor' | 'digest' | 'parkedRevision'> & {
  readonly events: number;
  readonly asOf: Date | null;
};

/** All checkpoints of a version, by partition. */
export async function readCursors(
  on: Queryable,
  { group, version }: Omit<CheckpointKey, 'partition'>,
): Promise<ReadonlyMap<number, StoredPosition>> {
  const rows = await run<StoredPosition & { partition: number }>(
    on,
    sql`select partition, cursor, digest, events::float8 as events, as_of as "asOf", parked_revision as "parkedRevision"
      from projection_checkpoints where projection_group = ${group} and version = ${version} order by partition`,
  );
  return new Map(rows.map(({ partition, ...checkpoint }) => [partition, checkpoint]));
}

/** Moves a version back to the beginning of its log. */
export async function resetCheckpoints(
  on: Queryable,
  { group, version }: Omit<CheckpointKey, 'partition'>,
): Promise<void> {
  await run(
    on,
    sql`update projection_checkpoints set cursor = ${BEGINNING}, digest = null, events = 0, as_of = null
      where projection_group = ${group} and version = ${version}`,
  );
}

/** While a version is filled at once, one of its checkpoints says how many events are done. */
export async function noteFilled(
  on: Queryable,
  { group, version }: Omit<CheckpointKey, 'partition'>,
  events: number,
): Promise<void> {
  await run(
    on,
    sql`update projection_checkpoints set events = ${events}
      where projection_group = ${group} and version = ${version} and cursor = ${BEGINNING} and partition = (
        select min(partition) from projection_checkpoints where projection_group = ${group} and version = ${version})`,
  );
}

/** Gives a checkpoint that is still there, and has none, its digest. */
export async function addDigest(
  on: Queryable,
  key: CheckpointKey,
  { cursor, digest }: { readonly cursor: Cursor; readonly digest: string },
) {
  await run(
    on,
    sql`update projection_checkpoints set digest = ${digest} where ${at(key)} and cursor = ${cursor} and digest is null`,
  );
}

/** Counts events that were parked before, and are projected now. */
export async function addToCheckpoint(
  on: Queryable,
  key: CheckpointKey,
  { events, asOf }: { events: number; asOf: number },
) {
  await run(
    on,
    sql`update projection_checkpoints
        set events = events + ${events}, as_of = greatest(as_of, ${new Date(asOf)}::timestamptz) where ${at(key)}`,
  );
}

/** Records why a partition is stopped; null = it is not. Another reason leaves the time at which it stopped. */
export async function markStopped(on: Queryable, key: CheckpointKey, why: string | null): Promise<void> {
  await run(
    on,
    sql`update projection_checkpoints set stopped = ${why}::text,
        updated_at = case when stopped is null or ${why}::text is null then clock_timestamp() else updated_at end
      where ${at(key)} and stopped is distinct from ${why}::text`,
  );
}

const at = ({ group, version, partition }: CheckpointKey) =>
  sql`projection_group = ${group} and version = ${version} and partition = ${partition}`;
