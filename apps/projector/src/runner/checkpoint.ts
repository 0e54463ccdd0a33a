import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run, runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
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
  /** Of the log up to the cursor. */
  readonly digest: string | null;
  readonly epoch: string;
  readonly stopped: string | null;
  /** Grows whenever something else than a batch changes rows, or what is parked. */
  readonly parkedRevision: number;
}

interface Claimed extends Pick<Checkpoint, 'cursor' | 'parkedRevision'> {
  /** Of the group. */
  readonly layout: string | undefined;
}

/** What a batch adds to a checkpoint. */
interface Progress {
  readonly cursor: Cursor;
  readonly digest: string | undefined;
  readonly events: number;
  /** Epoch ms of the newest event; undefined without events. */
  readonly asOf: number | undefined;
}

export async function createCheckpoint(on: Queryable, { group, version, partition }: CheckpointKey, epoch: string) {
  await run(
    on,
    sql`insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values (${group}, ${version}, ${partition}, ${epoch}, ${BEGINNING}) on conflict do nothing`,
  );
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

/**
 * Locks the checkpoint until the transaction ends: only its holder writes this version of this partition. Undefined
 * while another process holds it.
 */
export async function claimCheckpoint(on: Queryable, key: CheckpointKey): Promise<Claimed | undefined> {
  const claim = sql`select cursor, parked_revision as "parkedRevision" from projection_checkpoints
    where ${at(key)} for update skip locked`;
  // TRICKY: a statement of its own sees a change of the layout that was committed while the row was locked
  const layout = sql`select layout from projection_groups where name = ${key.group}`;
  const [[claimed], [group]] = await Promise.all([
    runPrepared<Pick<Checkpoint, 'cursor' | 'parkedRevision'>>(on, 'claim checkpoint', claim),
    runPrepared<{ layout: string }>(on, 'layout', layout),
  ]);
  return claimed && { ...claimed, layout: group?.layout };
}

export async function advanceCheckpoint(on: Queryable, key: CheckpointKey, { cursor, digest, events, asOf }: Progress) {
  const newest = asOf === undefined ? null : new Date(asOf);
  await runPrepared(
    on,
    'advance checkpoint',
    sql`update projection_checkpoints
        set cursor = ${cursor}, digest = ${digest ?? null}, events = events + ${events}, as_of = greatest(as_of, ${newest}::timestamptz),
          stopped = null, updated_at = clock_timestamp()
        where ${at(key)}`,
  );
}

/** Gives a checkpoint that is still there, and has none, its digest. */
export async function addDigest(
  on: Queryable,
  key: CheckpointKey,
  { cursor, digest }: Pick<Progress, 'cursor'> & { digest: string },
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
