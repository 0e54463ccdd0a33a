import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHit } from '@ledgerline/platform/intake-log/encoded-hit';
import type { SenderOptions } from '@ledgerline/platform/intake-log/hit-sender';
import {
  HitTooLarge,
  type IntakeItem,
  type IntakeSender,
  type SendResult,
} from '@ledgerline/platform/intake-log/intake-log';
import { Batcher } from '@ledgerline/platform/log/batcher';
import { asOutcomeUnknown, LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { headerOf, type HitMessage, type MessageAuthenticator, hitMessageJson } from './hit-message';
import { MIN_BATCH_BYTES } from './hit-topic';
import { isOfKafka, isTooLarge, mayBeWritten, topicUnavailable } from './kafka-failures';
import type { TopicProducer } from './topic-producer';

interface Draft {
  readonly item: IntakeItem;
  readonly value: string;
  readonly bytes: number;
}

/** Hits of one call and one partition. */
interface Call {
  readonly drafts: readonly Draft[];
  readonly bytes: number;
}

interface KafkaHitSenderParts {
  readonly producer: Pick<TopicProducer, 'write' | 'probe' | 'close'>;
  readonly tags: MessageAuthenticator;
  readonly partitions: number;
  readonly sending: Omit<SenderOptions, 'maxFlush' | 'now'>;
}

const RETRY_MS = 100;
/** Bytes of JSON that are worth a request of their own. */
const LINGER_UP_TO_BYTES = 10_000;
/** Fits into a message batch of every topic, even where nothing can be compressed. */
const MAX_BATCH_BYTES = MIN_BATCH_BYTES - 100_000;
/** For the key, the headers and the framing of a message. */
const FRAMING_BYTES = 150;

/**
 * Sends hits to a topic: partition by partition, one batch after another, so hits of a partition keep their order. Every
 * message has a number that grows within its partition; a batch whose outcome is unknown is sent again with the same
 * numbers, by which the copier recognises it.
 */
export class KafkaHitSender implements IntakeSender {
  private readonly id = randomBytes(8).toString('base64url');
  private readonly batchers: readonly Batcher<Call, number>[];
  private pendingBytes = 0;
  private isClosed = false;

  constructor(private readonly parts: KafkaHitSenderParts) {
    const { partitions, sending } = parts;
    this.batchers = Array.from({ length: partitions }, (_, partition) => {
      let number = 0;
      const flush = async (calls: readonly Call[]): Promise<readonly number[]> => {
        const drafts = calls.flatMap((call) => call.drafts);
        const first = number;
        number += drafts.length;
        const offset = await this.write(partition, this.messagesOf(partition, drafts, first));
        return calls.map(() => offset + drafts.length - 1);
      };
      return new Batcher(flush, {
        lingerMs: sending.lingerMs,
        lingerUpTo: LINGER_UP_TO_BYTES,
        maxBatch: MAX_BATCH_BYTES,
        sizeOf: (call) => call.bytes,
        isolates: (error) => error instanceof HitTooLarge,
        failsQueue: (error) => error instanceof LogUnavailable,
      });
    });
  }

  /** Every outcome is `accepted`. */
  async send(hits: readonly IntakeItem[]): Promise<SendResult> {
    if (this.isClosed) throw new LogUnavailable('the intake log is closed');
    const calls = this.callsOf(hits);
    const bytes = [...calls.values()].reduce((sum, call) => sum + call.bytes, 0);
    if (this.pendingBytes > 0 && this.pendingBytes + bytes > this.parts.sending.maxPendingBytes)
      throw new LogUnavailable('too many hits are waiting for Kafka');
    this.pendingBytes += bytes;
    try {
      const sending = [...calls].map(async ([partition, call]) => {
        const offset = await this.batchers[partition]?.submit(call);
        return [partition, `k${offset}`] as const;
      });
      const settled = await Promise.allSettled(sending); // a call has an outcome when nothing of it is under way
      const failed = settled.find((result) => result.status === 'rejected');
      if (failed)
        throw settled.some(({ status }) => status === 'fulfilled') ? asOutcomeUnknown(failed.reason) : failed.reason;
      return { outcomes: hits.map(() => 'accepted'), positions: new Map(await Promise.all(sending)) };
    } finally {
      this.pendingBytes -= bytes;
    }
  }

  async probe(): Promise<void> {
    await this.parts.producer.probe().catch((cause: unknown) => {
      throw topicUnavailable(cause);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.batchers.map((batcher) => batcher.idle()));
    await this.parts.producer.close();
  }

  /** @throws HitTooLarge · RangeError */
  private callsOf(hits: readonly IntakeItem[]): ReadonlyMap<number, Call> {
    const drafts = new Map<number, Draft[]>();
    for (const item of hits) {
      const { partition } = encodeHit(item, this.parts.partitions);
      const value = hitMessageJson(item.event);
      const draft = { item, value, bytes: Buffer.byteLength(value) + FRAMING_BYTES };
      const others = drafts.get(partition);
      if (others) others.push(draft);
      else drafts.set(partition, [draft]);
    }
    const sizeOf = (some: readonly Draft[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
    return new Map([...drafts].map(([partition, some]) => [partition, { drafts: some, bytes: sizeOf(some) }]));
  }

  private messagesOf(partition: number, drafts: readonly Draft[], first: number): readonly HitMessage[] {
    const { tags } = this.parts;
    return drafts.map(({ item, value }, at) => {
      const { subject: key, trace: traceparent } = item;
      const hit = headerOf(item, this.id, first + at);
      const tag = tags.tagOf({ partition, key, hit, traceparent, value });
      return { key, value, headers: { hit, tag, ...(traceparent === undefined ? {} : { traceparent }) } };
    });
  }

  /** Retries until it is acknowledged or time is up. */
  private async write(partition: number, messages: readonly HitMessage[]): Promise<number> {
    const deadline = performance.now() + this.parts.sending.retryForMs;
    for (let isInDoubt = false; ;) {
      try {
        return await this.parts.producer.write(partition, messages);
      } catch (cause) {
        if (isTooLarge(cause)) throw new HitTooLarge('Kafka takes no batch of this size');
        if (!isOfKafka(cause)) throw cause;
        isInDoubt ||= mayBeWritten(cause);
        if (performance.now() > deadline)
          throw isInDoubt ? new OutcomeUnknown('Kafka is unreachable', { cause }) : topicUnavailable(cause);
      }
      await sleep(RETRY_MS);
    }
  }
}
