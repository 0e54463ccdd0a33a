import type { Pool, PoolClient } from 'pg';
import { Gauge } from 'prom-client';
import { isServerError } from '@ledgerline/platform/database/database-errors';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { candidatesOf } from '@ledgerline/platform/intake-log/deduplication';
import { type EncodedHit, storeHitTraces } from '@ledgerline/platform/intake-log/encoded-hit';
import { newestOf, packSegments, storeAfter } from '@ledgerline/platform/intake-log/flush';
import { KEEPS_UP_MS } from '@ledgerline/platform/intake-log/intake-log';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { MessageRefusal } from './hit-message';
import type { CopiedOffset, TopicPartition } from './topic-offsets';

/** The progress with which one partition of the topic that hits are sent to is copied. */
interface Copying {
  readonly topic: string;
  readonly partition: number;
  /** Messages that are not copied yet. */
  readonly messages: number;
  /** The time for which the oldest of them has been waiting at most; 0 while copying keeps up. */
  readonly lagMs: number;
  /** Messages that Kafka dropped before they were copied, and when that was noticed last. */
  readonly lost: number;
  readonly lostAt: Date | null;
  /** Messages that are no hits. */
  readonly refused: number;
  /** Why nothing is copied any more. */
  readonly stopped: string | null;
}

/** None where hits are not sent to Kafka. */
export const readCopying = (on: Queryable): Promise<Copying[]> =>
  run<Copying & Record<string, unknown>>(
    on,
    sql`select o.topic, o.partition, greatest(0, o.end_offset - o.next_offset)::float8 as messages,
          case when o.end_offset > o.next_offset or age.ms > ${KEEPS_UP_MS} then age.ms else 0 end as "lagMs",
          o.lost::float8 as lost, o.lost_at as "lostAt", o.stopped, (
            select coalesce(sum(r.messages), 0)::float8 from intake_refused_messages r
            where r.topic = o.topic and r.partition = o.partition
          ) as refused
        from intake_log l join intake_topic_offsets o on o.topic = l.topic, lateral (
          select greatest(0, round(extract(epoch from clock_timestamp() - o.caught_up_at) * 1000))::float8 as ms
        ) age
        order by o.partition`,
  );

/**
 * Observes how far hits are copied from Kafka: read from the database, so that every process reports the same; nothing
 * without Kafka.
 */
export function observeCopying(metrics: Metrics, pool: Pool): void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['partition'], registers: [metrics.registry] });
  const messages = gauge('ledgerline_copier_lag_messages', 'Messages of Kafka that are not copied yet');
  const lag = gauge('ledgerline_copier_lag_seconds', 'How long the oldest message that is not copied waits at most');
  const stopped = gauge('ledgerline_copier_stopped', '1 where nothing is copied because the topic is another one');
  const lost = gauge('ledgerline_copier_lost_messages', 'Messages that Kafka dropped before they were copied');
  const refused = gauge('ledgerline_copier_refused_messages', 'Messages that are no hits');
  metrics.beforeReading(async () => {
    for (const each of [messages, lag, stopped, lost, refused]) each.reset();
    for (const { partition, ...row } of await readCopying(pool).catch(() => [])) {
      const label = { partition: String(partition) };
      messages.set(label, row.messages);
      lag.set(label, row.lagMs / 1_000);
      stopped.set(label, row.stopped === null ? 0 : 1);
      lost.set(label, row.lost);
      refused.set(label, row.refused);
    }
  });
}

/** The offset in the log at or before which the messages up to these offsets of the topic are; undefined = not copied yet. */
export async function segmentsOf(
  on: Queryable,
  sent: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number | undefined>> {
  const rows = await run<{ partition: number; next: string; newest: string }>(
    on,
    sql`select o.partition, o.next_offset as next, h.next_offset - 1 as newest
        from intake_log l join intake_topic_offsets o on o.topic = l.topic join intake_heads h on h.partition = o.partition
        where o.partition = any(${[...sent.keys()]})`,
  );
  const copied = new Map(rows.map((row) => [row.partition, row]));
  const offsetOf = (partition: number, offset: number) => {
    const row = copied.get(partition);
    return row && Number(row.next) > offset ? Number(row.newest) : undefined;
  };
  return new Map([...sent].map(([partition, offset]) => [partition, offsetOf(partition, offset)]));
}

/** Neighbouring messages of a partition. */
export interface MessageCopy extends TopicPartition {
  /** The offset of the first message; `to` is that of the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** The digest of the last message. */
  readonly digest: Buffer;
  readonly senders: CopiedOffset['senders'];
  /** As it was when the messages were read. */
  readonly requiresTags: boolean;
  /** The hits that are stored unless they were stored before. */
  readonly hits: readonly EncodedHit[];
  readonly refused: readonly { readonly offset: number; readonly reason: MessageRefusal }[];
  /** When the last message came, epoch ms. */
  readonly arrivedAt: number;
  /** The day on which retries are recorded. */
  readonly day: Date;
}

/**
 * Stores the hits of messages and the offset behind them, in one transaction: answers how many were new. Undefined where
 * another process has copied meanwhile, and nothing is stored. An error leaves open whether it is stored; the offset tells.
 */
export async function copyMessages(pool: Pool, copy: MessageCopy): Promise<number | undefined> {
  const candidates = candidatesOf(copy.hits);
  const segments = await packSegments(candidates.hits);
  const client = await pool.connect();
  let broken = true;
  try {
    const begin = async () => {
      const [, moved] = await Promise.all([client.query('begin'), moveOffset(client, copy), refuse(client, copy)]);
      return moved.rowCount === 1;
    };
    const { stored, placed, begun: isNext } = await storeAfter(begin, client, { candidates, segments, now: copy.day });
    await storeHitTraces(client, stored, newestOf(placed));
    await client.query(isNext ? 'commit' : 'rollback');
    broken = false;
    return isNext ? stored.size : undefined;
  } catch (error) {
    if (isServerError(error)) {
      broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

/** First of all, so that a process that another one replaced waits for its transaction, and then writes nothing. */
const moveOffset = (
  client: PoolClient,
  { topic, partition, from, to, digest, senders, arrivedAt, requiresTags }: MessageCopy,
) =>
  client.query({
    name: 'move topic offset',
    text: `update intake_topic_offsets
      set next_offset = $4, digest = $5, senders = $6, end_offset = greatest(end_offset, $4),
        caught_up_at = greatest(caught_up_at, least($7::timestamptz, clock_timestamp()))
      where topic = $1 and partition = $2 and next_offset = $3 and stopped is null and requires_tags = $8`,
    values: [topic, partition, from, to, digest, JSON.stringify(senders), new Date(arrivedAt), requiresTags],
  });

async function refuse(client: PoolClient, { topic, partition, refused }: MessageCopy): Promise<void> {
  if (refused.length === 0) return;
  await client.query({
    name: 'refuse messages',
    text: `insert into intake_refused_messages (topic, partition, reason, messages, first_offset, last_offset)
      select $1, $2, reason, count(*), min("offset"), max("offset")
      from unnest($3::text[], $4::bigint[]) as refused (reason, "offset") group by reason
      on conflict (topic, partition, reason) do update set
        messages = intake_refused_messages.messages + excluded.messages,
        last_offset = excluded.last_offset, last_at = clock_timestamp()`,
    values: [topic, partition, refused.map(({ reason }) => reason), refused.map(({ offset }) => offset)],
  });
}
