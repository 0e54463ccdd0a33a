import type { Pool } from 'pg';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, sql, withoutNul } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { EventDescription } from '../projections/projection-group';
import type { CheckpointKey } from './checkpoint';

/** The events that a runner leaves out. */
export interface ParkedSet {
  /** Order keys with events that are parked in this version: later ones wait behind them. */
  readonly blocked: ReadonlySet<string>;
  /** Events that every version leaves out: an operator has accepted that, or an earlier program found them to be erased. */
  readonly accepted: ReadonlySet<Cursor>;
}

/** An event to be parked. */
export interface EventToPark extends Omit<EventDescription, 'at'> {
  readonly cursor: Cursor;
  /** Where the log is read from to find it. */
  readonly after: Cursor;
  /** Undefined = it is not known. */
  readonly at: number | undefined;
  /** Undefined = it only waits behind an earlier one. */
  readonly error: unknown;
}

/** An event that waits for a retry. */
export interface ParkedEvent {
  readonly number: number;
  readonly cursor: Cursor;
  readonly after: Cursor;
  readonly orderKey: string;
}

const MAX_ERROR = 4_000;

export async function readParkedSet(on: Queryable, key: CheckpointKey, epoch: string): Promise<ParkedSet> {
  const rows = await run<{ orderKey: string | null; accepted: Cursor | null }>(
    on,
    sql`select distinct case when accepted_at is null then order_key end as "orderKey",
          case when accepted_at is not null then cursor end as accepted
        from parked_events
        where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}
          and (version = ${key.version} or accepted_at is not null)
        union all select null, cursor from erased_hits
        where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}`,
  );
  return {
    blocked: new Set(rows.flatMap(({ orderKey }) => orderKey ?? [])),
    accepted: new Set(rows.flatMap(({ accepted }) => accepted ?? [])),
  };
}

/** Parks events, in the order of the log. */
export function insertParked(
  { group, version, partition }: CheckpointKey,
  epoch: string,
  events: readonly EventToPark[],
) {
  const texts = (read: (event: EventToPark) => string | null) => events.map(read);
  return sql`
    insert into parked_events (projection_group, version, partition, epoch, tries,
      cursor, after, event_id, event_type, subject, occurred_at, order_key, error)
    select ${group}, ${version}, ${partition}, ${epoch}, case when error is null then 0 else 1 end,
      cursor, after, event_id, event_type, subject, occurred_at, order_key, error
    from unnest(${texts(({ cursor }) => cursor)}::text[], ${texts(({ after }) => after)}::text[],
        ${texts(({ id }) => id)}::text[], ${texts(({ type }) => type)}::text[],
        ${texts(({ subject }) => subject)}::text[],
        ${texts(({ at }) => (at === undefined ? null : new Date(at).toISOString()))}::timestamptz[],
        ${texts(({ orderKey }) => orderKey)}::text[],
        ${texts(({ error }) => (error === undefined ? null : errorText(error)))}::text[])
      with ordinality as parked (cursor, after, event_id, event_type, subject, occurred_at, order_key, error, place)
    order by place`;
}

/** The next events that wait in a version, in the order of the log; of all order keys, or of these. */
export const readWaitingEvents = (
  on: Queryable,
  { group, version, partition }: CheckpointKey,
  { epoch, keys, after, limit }: { epoch: string; keys: readonly string[] | undefined; after: number; limit: number },
): Promise<ParkedEvent[]> =>
  run<ParkedEvent>(
    on,
    sql`select number::float8, cursor, after, order_key as "orderKey" from parked_events
        where projection_group = ${group} and version = ${version} and partition = ${partition} and epoch = ${epoch}
          and accepted_at is null and number > ${after} and (${keys ?? null}::text[] is null or order_key = any(${keys ?? null}))
        order by number limit ${limit}`,
  );

/** Takes events off the parked ones; returns how many were still there. */
export async function deleteParked(on: Queryable, numbers: readonly number[]): Promise<number> {
  const rows = await run(
    on,
    sql`delete from parked_events where number = any(${numbers}::bigint[]) and accepted_at is null returning number`,
  );
  return rows.length;
}

/** Notes that a parked event could not be projected by itself. */
export const noteFailure = (on: Queryable, number: number, error: unknown) =>
  run(on, sql`update parked_events set error = ${errorText(error)}, tries = tries + 1 where number = ${number}`);

/**
 * Makes runners read anew what is parked, and the api forget what it has answered; locks the checkpoint, so that no batch
 * is written until the transaction ends.
 */
export const reviseParked = ({ group, version, partition }: CheckpointKey): Sql =>
  sql`update projection_checkpoints set parked_revision = parked_revision + 1
    where projection_group = ${group} and version = ${version} and partition = ${partition}
    returning parked_revision as revision`;

/**
 * Revises all versions, in these partitions or in all; one statement each: the holder of one checkpoint may wait for
 * another.
 */
export async function reviseVersions(
  on: Queryable,
  group: CheckpointKey['group'],
  partitions: readonly number[] | null,
): Promise<void> {
  const keys = await run<CheckpointKey>(
    on,
    sql`select projection_group as "group", version, partition from projection_checkpoints
        where projection_group = ${group} and (${partitions}::integer[] is null or partition = any(${partitions}))`,
  );
  for (const key of keys) await run(on, reviseParked(key));
}

/**
 * Leaves events of one group and store out for good, in every version: a rebuild equals the live tables without them.
 * Events that only wait behind others are not taken; returns how many were.
 */
export async function acceptParked(
  { pool, name }: Pick<GroupSchema, 'name'> & { readonly pool: Pool },
  numbers: readonly number[],
): Promise<number> {
  const accepted = await run<{ partition: number }>(
    pool,
    sql`update parked_events set accepted_at = clock_timestamp()
        where number = any(${numbers}::bigint[]) and projection_group = ${name} and error is not null and accepted_at is null
        returning partition`,
  );
  await reviseVersions(
    pool,
    name,
    accepted.map(({ partition }) => partition),
  );
  return accepted.length;
}

/** The events that are parked, or were, in any version. */
export async function readParkedCursors(
  on: Queryable,
  { group, partition }: Omit<CheckpointKey, 'version'>,
  epoch: string,
): Promise<ReadonlySet<Cursor>> {
  const rows = await run<{ cursor: Cursor }>(
    on,
    sql`select cursor from parked_events where projection_group = ${group} and partition = ${partition} and epoch = ${epoch}`,
  );
  return new Set(rows.map(({ cursor }) => cursor));
}

/** Takes events of erased visitors off the parked ones, in every version. */
export const deleteErased = (
  on: Queryable,
  { group, partition }: Omit<CheckpointKey, 'version'>,
  epoch: string,
  cursors: readonly Cursor[],
): Promise<unknown> =>
  run(
    on,
    sql`delete from parked_events where projection_group = ${group} and partition = ${partition} and epoch = ${epoch}
          and cursor = any(${cursors}::text[])`,
  );

/** Counts how many events wait in a version for a retry or an operator's acceptance. */
export async function countParked(on: Queryable, group: string, version: number, epoch: string): Promise<number> {
  const [row] = await run<{ parked: number }>(
    on,
    sql`select count(*)::integer as parked from parked_events
        where projection_group = ${group} and version = ${version} and epoch = ${epoch} and accepted_at is null`,
  );
  return row?.parked ?? 0;
}

/** With its stack: it is read by operators alone. */
function errorText(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return withoutNul(text).slice(0, MAX_ERROR);
}
