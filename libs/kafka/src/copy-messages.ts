import type { Pool, PoolClient } from 'pg';
import { isServerError } from '@ledgerline/platform/database/database-errors';
import { candidatesOf } from '@ledgerline/platform/intake-log/deduplication';
import type { EncodedHit } from '@ledgerline/platform/intake-log/encoded-hit';
import { newestOf, storeAfter, packSegments } from '@ledgerline/platform/intake-log/flush';
import { storeHitTraces } from '@ledgerline/platform/intake-log/hit-traces';
import type { Refusal } from './hit-message';
import type { CopiedOffset, TopicPartition } from './topic-offsets';

/** Neighbouring messages of a partition. */
export interface Copy extends TopicPartition {
  /** Of the first message, and of the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Of the last message. */
  readonly digest: Buffer;
  readonly senders: CopiedOffset['senders'];
  /** As it was when the messages were read. */
  readonly requiresTags: boolean;
  /** What is stored unless it was stored before. */
  readonly hits: readonly EncodedHit[];
  readonly refused: readonly { readonly offset: number; readonly reason: Refusal }[];
  /** When the last message came, epoch ms. */
  readonly arrivedAt: number;
  /** The day on which retries are recorded. */
  readonly day: Date;
}

/**
 * Stores the hits of messages and the offset behind them, in one transaction: answers how many were new. Undefined where
 * another process has copied meanwhile, and nothing is stored. An error leaves open whether it is stored; the offset tells.
 */
export async function copyMessages(pool: Pool, copy: Copy): Promise<number | undefined> {
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
  { topic, partition, from, to, digest, senders, arrivedAt, requiresTags }: Copy,
) =>
  client.query({
    name: 'move topic offset',
    text: `update intake_topic_offsets
      set next_offset = $4, digest = $5, senders = $6, end_offset = greatest(end_offset, $4),
        caught_up_at = greatest(caught_up_at, least($7::timestamptz, clock_timestamp()))
      where topic = $1 and partition = $2 and next_offset = $3 and stopped is null and requires_tags = $8`,
    values: [topic, partition, from, to, digest, JSON.stringify(senders), new Date(arrivedAt), requiresTags],
  });

async function refuse(client: PoolClient, { topic, partition, refused }: Copy): Promise<void> {
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
