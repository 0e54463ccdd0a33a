import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { type Queryable, run, runPrepared } from '../database/pool';
import { type Sql, sql } from '../database/sql';
import { BEGINNING, type Cursor, type LogReader } from '../log/log-reader';

/** A hit to be stored. */
export interface IntakeItem {
  readonly event: ObservedEvent;
  /** Website, link or organization id; all hits of one subject are in one partition and therefore ordered. */
  readonly subject: string;
  /**
   * The time for which another event with this id counts as a retry: never, 48 hours, or for ever (imports, repeated
   * sends).
   */
  readonly dedupe: 'never' | '48h' | 'forever';
  /**
   * Id (32 hex digits) by which hits that are always sent together, unchanged, are deduplicated as one.
   * Absent = each hit by its own id, which costs one lookup per hit.
   */
  readonly batch?: string;
  /** W3C trace context of the request, where it is sampled; kept beside the log for a day. */
  readonly trace?: string | undefined;
}

export interface SendResult {
  /** Per hit, in order: stored, or a duplicate; `accepted` = durable, and judged when it is copied. */
  readonly outcomes: readonly ('stored' | 'duplicate' | 'accepted')[];
  /**
   * Per partition of these hits, where the newest of them is at the latest, duplicates included: a cursor of the log, or
   * `k` and an offset of the topic that is copied into it.
   */
  readonly positions: ReadonlyMap<number, string>;
}

/** An observed event with its position in the log. */
export interface LoggedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly offset: number;
}

/** A sender that takes hits. */
export interface IntakeSender {
  /**
   * Resolves when every hit is durable; all of one call or none per partition.
   * @throws LogUnavailable when it is down: nothing of this call counts as accepted · OutcomeUnknown when some of it may
   * @throws HitTooLarge before anything is written
   */
  send(hits: readonly IntakeItem[]): Promise<SendResult>;
  /** Resolves while hits can be sent. @throws LogUnavailable */
  probe(): Promise<void>;
  /** Sends pending hits, then closes every connection. */
  close(): Promise<void>;
}

/** Port of the observed events: partitions, batches, no revision check. */
export interface IntakeLog extends IntakeSender, LogReader<LoggedHit> {}

/** An event over {@link MAX_HIT_BYTES}. */
export class HitTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HitTooLarge';
  }
}

/** Size as JSON in UTF-8. */
export const MAX_HIT_BYTES = 256 * 1024;

const hashes = new LRUCache<string, number>({
  max: 10_000,
  memoMethod: (subject) => createHash('sha256').update(subject).digest().readUInt32BE(0),
});

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export const partitionOf = (subject: string, partitions: number): number => hashes.memo(subject) % partitions;

/** The offset after which a cursor goes on; -1 = from the beginning. */
export const offsetOf = (cursor: Cursor): number => (cursor === BEGINNING ? -1 : Number(cursor));

export const offsetCursor = (offset: number): Cursor => (offset < 0 ? BEGINNING : String(offset));

/** Returns the number of partitions the log has; undefined before its first start. */
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
  return new Map(rows.map(({ partition, newest }) => [partition, offsetCursor(Number(newest))]));
}

/** Copiers ask every second whether they have everything of Kafka. */
export const KEEPS_UP_MS = 3_000;

/**
 * SQL for since when events behind a cursor have been waiting: when the oldest of them was recorded, or up to when hits
 * are copied from Kafka, if that is longer ago than copying takes. Null at the head.
 */
export const recordedAfter = (partition: number | Sql, cursor: Sql): Sql => sql`least(
    (select s.recorded_at from intake_segments s
     where s.partition = ${partition} and s.first_offset > coalesce(nullif(${cursor}, '')::bigint, -1)
     order by s.first_offset limit 1),
    (select o.caught_up_at from intake_log l join intake_topic_offsets o on o.topic = l.topic and o.partition = ${partition}
     where o.caught_up_at < clock_timestamp() - ${KEEPS_UP_MS} * interval '1 ms')
  )`;

/** The cursor up to which something has read a partition. */
export interface LogCursor {
  readonly partition: number;
  readonly cursor: Cursor;
}

/** The oldest event behind a cursor, also of hits that are not copied from Kafka yet. */
interface WaitingEvent {
  /** When it was recorded; null = none is behind the cursor. */
  readonly since: Date | null;
  /** The time since then by the clock of the database, ms. */
  readonly forMs: number;
}

/**
 * Returns what waits behind each of the cursors, in their order: the only place that compares checkpoints with the log,
 * whose tables are in the main database wherever the checkpoints are. A statement for each, as its plan is made only
 * once.
 */
export const readWaiting = (main: Queryable, cursors: readonly LogCursor[]): Promise<WaitingEvent[]> =>
  runPrepared<WaitingEvent>(
    main,
    'oldest waiting events',
    sql`
      select since, coalesce(greatest(0, extract(epoch from clock_timestamp() - since) * 1000), 0)::float8 as "forMs"
      from unnest(${cursors.map(({ partition }) => partition)}::integer[], ${cursors.map(({ cursor }) => cursor)}::text[])
          with ordinality as reader (partition, cursor, place),
        lateral (select ${recordedAfter(sql`reader.partition`, sql`reader.cursor`)} as since) oldest
      order by place`,
  );
