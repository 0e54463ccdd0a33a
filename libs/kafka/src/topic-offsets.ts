import type { Admin, Kafka } from 'kafkajs';
import type { Pool } from 'pg';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';

/** One partition of a topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The state of each sender: the number of its newest message that is copied, and when that came, epoch ms. */
export type Senders = Readonly<Record<string, readonly [number: number, at: number]>>;

/** The progress of copying a partition. */
export interface CopiedOffset {
  /** The offset of the first message that is not copied. */
  readonly next: number;
  /** The digest of the message before it; null where none was copied, or it is gone. */
  readonly digest: Buffer | null;
  readonly senders: Senders;
  /** False while messages without a tag are copied, which trackers of earlier versions write. */
  readonly requiresTags: boolean;
  /** Everything that came before this time is copied. */
  readonly caughtUpAt: Date;
  readonly stopped: string | null;
}

/** Where the messages of a partition begin and end. */
export interface Watermarks {
  readonly partition: number;
  readonly low: number;
  /** The offset of the first message that is not there yet. */
  readonly high: number;
}

/** Names the topic that hits are sent to, and gives each of its partitions an offset; null = the segments are written directly. */
export async function useTopic(pool: Pool, topic: string | null): Promise<void> {
  await transaction(pool, async (client) => {
    await run(client, sql`update intake_log set topic = ${topic} where topic is distinct from ${topic}`);
    const rows = sql`
      insert into intake_topic_offsets (topic, partition) select topic, partition from intake_log, intake_heads
      where topic is not null on conflict do nothing`;
    await run(client, rows);
  });
}

export async function readCopied(
  on: Queryable,
  { topic, partition }: TopicPartition,
): Promise<CopiedOffset | undefined> {
  const [row] = await run<Omit<CopiedOffset, 'next'> & { next: string }>(
    on,
    sql`select next_offset as next, digest, senders, requires_tags as "requiresTags",
          caught_up_at as "caughtUpAt", stopped
        from intake_topic_offsets where topic = ${topic} and partition = ${partition}`,
  );
  return row && { ...row, next: Number(row.next) };
}

/** The first offset that is not copied, by partition. */
export async function readNextOffsets(on: Queryable, topic: string): Promise<ReadonlyMap<number, number>> {
  const rows = await run<{ partition: number; next: string }>(
    on,
    sql`select partition, next_offset as next from intake_topic_offsets where topic = ${topic}`,
  );
  return new Map(rows.map(({ partition, next }) => [partition, Number(next)]));
}

/** Records where partitions end; those of which all was copied have caught up at the time when that was asked. */
export async function noteEnds(
  on: Queryable,
  topic: string,
  ends: readonly Pick<Watermarks, 'partition' | 'high'>[],
  askedAt: Date,
): Promise<void> {
  await run(
    on,
    sql`update intake_topic_offsets o
        set end_offset = asked.high, caught_up_at = case
          when o.next_offset >= asked.high and o.stopped is null then greatest(o.caught_up_at, ${askedAt}::timestamptz)
          else o.caught_up_at end
        from unnest(${ends.map(({ partition }) => partition)}::integer[], ${ends.map(({ high }) => high)}::bigint[])
          as asked (partition, high)
        where o.topic = ${topic} and o.partition = asked.partition
          and (o.end_offset <> asked.high or o.caught_up_at < ${askedAt}::timestamptz - interval '500 ms')`,
  );
}

/** Stops copying a partition that is as the caller read it. False if it moved meanwhile. */
export async function stopCopying(
  on: Queryable,
  { topic, partition }: TopicPartition,
  next: number,
  why: string,
): Promise<boolean> {
  const rows = await run(
    on,
    sql`update intake_topic_offsets set stopped = ${why}, stopped_at = clock_timestamp()
        where topic = ${topic} and partition = ${partition} and next_offset = ${next} and stopped is null returning partition`,
  );
  return rows.length === 1;
}

/** Goes on behind messages that the topic dropped, and counts them. False if another process did. */
export async function skipLost(
  on: Queryable,
  { topic, partition }: TopicPartition,
  next: number,
  low: number,
): Promise<boolean> {
  const rows = await run(
    on,
    sql`update intake_topic_offsets
        set next_offset = ${low}, digest = null, lost = lost + ${low - next}, lost_at = clock_timestamp()
        where topic = ${topic} and partition = ${partition} and next_offset = ${next} and stopped is null returning partition`,
  );
  return rows.length === 1;
}

/** From now on messages without a tag are refused. Answers of which partitions they were not. */
export async function requireTags(on: Queryable): Promise<readonly TopicPartition[]> {
  return run<TopicPartition & Record<string, unknown>>(
    on,
    sql`update intake_topic_offsets set requires_tags = true where not requires_tags returning topic, partition`,
  );
}

/** Begins anew with the partitions of a topic that are stopped, from its first message on. Answers which they are. */
export async function acceptTopic(on: Queryable): Promise<readonly TopicPartition[]> {
  return run<TopicPartition & Record<string, unknown>>(
    on,
    sql`update intake_topic_offsets o
        set next_offset = 0, digest = null, senders = '{}', stopped = null, stopped_at = null
        from intake_log l where l.topic = o.topic and o.stopped is not null returning o.topic, o.partition`,
  );
}

/** Asks Kafka where the partitions of a topic begin and end. */
export class TopicWatermarks {
  private admin: Promise<Admin> | undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  async all(): Promise<readonly Watermarks[]> {
    const connecting = (this.admin ??= this.connect());
    try {
      const offsets = await (await connecting).fetchTopicOffsets(this.topic);
      return offsets.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
    } catch (error) {
      this.admin = undefined;
      void connecting.then((admin) => admin.disconnect()).catch(() => undefined);
      throw error;
    }
  }

  /** @throws when the topic does not have the partition */
  async of(partition: number): Promise<Watermarks> {
    const found = (await this.all()).find((one) => one.partition === partition);
    if (found === undefined) throw new RangeError(`${this.topic} has no partition ${partition}.`);
    return found;
  }

  async close(): Promise<void> {
    await this.admin?.then((admin) => admin.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}
