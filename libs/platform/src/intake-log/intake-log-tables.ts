import { run, type Queryable, runPrepared } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import { BEGINNING, type Cursor } from '../log/log-reader';

/** The offset after which a cursor goes on; -1 = from the beginning. */
export const offsetOf = (cursor: Cursor): number => (cursor === BEGINNING ? -1 : Number(cursor));

export const cursorOf = (offset: number): Cursor => (offset < 0 ? BEGINNING : String(offset));

/** How many partitions the log has; undefined before its first start. */
export async function readPartitions(on: Queryable): Promise<number | undefined> {
  const [log] = await run<{ partitions: number }>(on, sql`select partitions from intake_log`);
  return log?.partitions;
}

/** Undefined before its first start. */
export async function readEpoch(on: Queryable): Promise<string | undefined> {
  const [log] = await run<{ epoch: string }>(on, sql`select epoch from intake_log`);
  return log?.epoch;
}

/** Cursor of the newest event by partition. */
export async function readHeads(on: Queryable): Promise<ReadonlyMap<number, Cursor>> {
  const heads = sql`select partition, next_offset - 1 as newest from intake_heads order by partition`;
  const rows = await run<{ partition: number; newest: string }>(on, heads);
  return new Map(rows.map(({ partition, newest }) => [partition, cursorOf(Number(newest))]));
}

/**
 * SQL for since when events behind a cursor have been waiting: when the oldest of them was recorded, or up to when hits
 * are copied from Kafka, if that is longer ago than copying takes. Null at the head.
 */
export const recordedAfter = (partition: number | Sql, cursor: Sql): Sql => sql`least(
    (select s.recorded_at from intake_segments s
     where s.partition = ${partition} and s.first_offset > coalesce(nullif(${cursor}, '')::bigint, -1)
     order by s.first_offset limit 1),
    (select o.caught_up_at from intake_log l join intake_topic_offsets o on o.topic = l.topic and o.partition = ${partition}
     where o.caught_up_at < clock_timestamp() - interval '3 s')
  )`;

/** How far something has read a partition. */
export interface LogCursor {
  readonly partition: number;
  readonly cursor: Cursor;
}

/** The oldest event behind a cursor, also of hits that are not copied from Kafka yet. */
interface WaitingEvent {
  /** When it was recorded; null = none is behind the cursor. */
  readonly since: Date | null;
  /** How long ago that was by the clock of the database, ms. */
  readonly forMs: number;
}

/**
 * What waits behind each of the cursors, in their order: the only place that compares checkpoints with the log, whose
 * tables are in the main database wherever the checkpoints are. A statement for each, as its plan is made only once.
 */
export const readWaiting = (main: Queryable, cursors: readonly LogCursor[]): Promise<WaitingEvent[]> =>
  Promise.all(cursors.map((cursor) => readOldest(main, cursor)));

async function readOldest(main: Queryable, { partition, cursor }: LogCursor): Promise<WaitingEvent> {
  const since = recordedAfter(sql`${partition}::integer`, sql`${cursor}::text`);
  const [oldest] = await runPrepared<WaitingEvent>(
    main,
    'oldest waiting event',
    sql`
      select since, coalesce(greatest(0, extract(epoch from clock_timestamp() - since) * 1000), 0)::float8 as "forMs"
      from (select ${since} as since) oldest`,
  );
  return oldest ?? { since: null, forMs: 0 };
}
