import type { Pool } from 'pg';
import { copyMessages } from '@ledgerline/kafka/copying';
import { digestOf, type MessageAuthenticator, type ReadMessage } from '@ledgerline/kafka/hit-message';
import type { TopicBatch } from '@ledgerline/kafka/hit-topic';
import { readCopied, skipLost, stopCopying, type CopiedOffset, type Watermarks } from '@ledgerline/kafka/topic-offsets';
import { isMissingFunction, isMissingTable } from '@ledgerline/platform/database/database-errors';
import { maintainDeduplication } from '@ledgerline/platform/intake-log/deduplication';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { chunksOf, type Chunk } from './message-chunks';

interface PartitionCopierParts {
  readonly pool: Pool;
  readonly topic: string;
  readonly tags: MessageAuthenticator;
  readonly partition: number;
  /** The number of partitions of the intake log. */
  readonly partitions: number;
  /** Asks Kafka where the partition begins and ends. */
  readonly watermarks: () => Promise<Watermarks>;
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>;
  /** Called with what was copied. */
  readonly onCopied: (counts: Copied) => void;
}

export interface Copied {
  readonly stored: number;
  readonly duplicates: number;
  readonly refused: number;
}

type Position = Pick<CopiedOffset, 'next' | 'senders' | 'requiresTags' | 'caughtUpAt'>;

const STOPPED_MS = 10_000;

/** Copies the messages of one partition into the segments, from the offset on that is stored with them. */
export class PartitionCopier {
  /** Undefined until the last copied message was found in the topic, and after anything went wrong. */
  private position: Position | undefined;
  /** The number of times the position was given up: what is under way meanwhile must not bring it back. */
  private forgotten = 0;
  private readonly refusals = new Set<string>();

  constructor(private readonly parts: PartitionCopierParts) {}

  /** Another process may have copied the partition, or the topic may be another one. */
  forget(): void {
    this.position = undefined;
    this.forgotten++;
  }

  /**
   * Copies what follows in a batch; answers the next offset, undefined where nothing was to be copied.
   * @throws errors of pg, and of the driver when the partition was taken away
   */
  async copy(batch: TopicBatch): Promise<number | undefined> {
    if (batch.fetchedOffset !== this.position?.next) this.forget(); // Kafka decided so, as it had nothing there
    const { forgotten } = this;
    const position = this.position ?? (await this.find(batch));
    if (position === undefined || forgotten !== this.forgotten) return undefined;
    this.position = position;
    const messages = batch.messages.filter(({ offset }) => Number(offset) >= position.next);
    if (messages.length > 0) return this.copyMessages(batch, position, messages);
    batch.seek(position.next);
    return undefined;
  }

  private async copyMessages(
    batch: TopicBatch,
    { senders, requiresTags }: Position,
    messages: readonly ReadMessage[],
  ): Promise<number | undefined> {
    const { partition, partitions, tags } = this.parts;
    const last = Number(messages.at(-1)?.offset);
    const breathe = yieldToEventLoop();
    for (const chunk of chunksOf(messages, { partition, partitions, tags, requiresTags, senders })) {
      if (batch.isStale()) break;
      const isLast = chunk.to > last;
      const whole = isLast ? { ...chunk, to: batch.lastOffset + 1 } : chunk; // what is behind the last is no message
      if (!(await this.store(whole))) break;
      batch.done(chunk.to - 1);
      await batch.heartbeat();
      await breathe();
    }
    return this.position?.next;
  }

  /** Reads the stored offset, and proves it by the message before it: undefined where that takes another fetch. */
  private async find(batch: TopicBatch): Promise<Position | undefined> {
    const { pool } = this.parts;
    const stored = await readCopied(pool, this.parts);
    if (stored === undefined)
      throw new RangeError(`There is no offset of ${this.parts.topic} ${this.parts.partition}.`);
    if (stored.stopped !== null) {
      batch.pause(STOPPED_MS);
      return undefined;
    }
    const isKnown = stored.next > 0 && stored.digest !== null;
    const wanted = isKnown ? stored.next - 1 : stored.next;
    if (batch.fetchedOffset !== wanted) {
      await this.seekFrom(batch, stored, wanted);
      return undefined;
    }
    const [before] = batch.messages;
    if (!isKnown || !before || !this.isOther(before, stored)) return stored;
    batch.pause(STOPPED_MS);
    await stopPartition(this.parts, this.parts.partition, stored.next);
    return undefined;
  }

  private isOther(message: ReadMessage, { next, digest }: CopiedOffset): boolean {
    return Number(message.offset) === next - 1 && digest !== null && !digestOf(message).equals(digest);
  }

  /** Kafka decides where a fetch begins when it has nothing at the wanted offset. */
  private async seekFrom(batch: TopicBatch, { next }: Pick<Position, 'next'>, wanted: number): Promise<void> {
    const watermarks = await this.parts.watermarks();
    const offset = await checkOffset(this.parts, next, watermarks);
    if (offset === 'stopped') batch.pause(STOPPED_MS);
    else if (offset === 'lost') batch.seek(watermarks.low);
    else if (watermarks.low <= wanted) batch.seek(wanted);
    else {
      this.position = await readCopied(this.parts.pool, this.parts); // the message before it is gone
      batch.seek(next);
    }
  }

  /** False if another process has copied meanwhile. */
  private async store(chunk: Chunk): Promise<boolean> {
    const { pool, topic, partition, onCopied } = this.parts;
    const from = this.position;
    if (from === undefined) return false;
    this.position = undefined; // an error leaves open whether it was stored
    const { forgotten } = this;
    const { requiresTags } = from;
    const day = dayOf(chunk.arrivedAt, from.caughtUpAt);
    const copy = { ...chunk, topic, partition, from: from.next, requiresTags, day };
    const stored = await copyMessages(pool, copy).catch(async (error: unknown) => {
      if (isMissingFunction(error) || isMissingTable(error)) await maintainDeduplication(pool);
      throw error;
    });
    if (stored === undefined) return false;
    if (forgotten === this.forgotten) this.position = { ...from, next: chunk.to, senders: chunk.senders };
    const { hits, refused, repeated } = chunk;
    onCopied({ stored, duplicates: hits.length - stored + repeated, refused: refused.length });
    this.logRefused(refused);
    return true;
  }

  private logRefused(refused: Chunk['refused']): void {
    const { topic, partition, logger } = this.parts;
    for (const { reason, offset } of refused) {
      if (this.refusals.has(reason)) continue;
      this.refusals.add(reason);
      logger.warn({ topic, partition, offset, reason }, 'a message is no hit; it and others like it are passed over');
    }
  }
}

/**
 * 48 hours count from the arrival at Kafka, so that it does not matter how late messages are copied. Tables of days are
 * kept from the time on up to which everything is copied.
 */
const dayOf = (arrivedAt: number, caughtUpAt: Date): Date =>
  new Date(Math.min(Math.max(arrivedAt, caughtUpAt.getTime()), Date.now()));

interface FaultContext {
  readonly pool: Pool;
  readonly topic: string;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Deals with an offset that the topic does not have: behind what Kafka dropped it goes on, and the loss is counted; where
 * the topic ends before it, the partition stops. `next` must have been read before the watermarks were asked.
 */
export async function checkOffset(
  { pool, topic, logger }: FaultContext,
  next: number,
  { partition, low, high }: Watermarks,
): Promise<'valid' | 'stopped' | 'lost'> {
  if (high < next) {
    await stopPartition({ pool, topic, logger }, partition, next);
    return 'stopped';
  }
  if (low <= next) return 'valid';
  if (await skipLost(pool, { topic, partition }, next, low))
    logger.error(
      { topic, partition, messages: low - next, from: next, to: low - 1 },
      'Kafka dropped messages before they were copied; their hits are lost',
    );
  return 'lost';
}

/** Nothing shows whether the topic was replaced on purpose: going on is an operator's decision. */
async function stopPartition({ pool, topic, logger }: FaultContext, partition: number, next: number): Promise<void> {
  const why = `The topic ${topic} is not the one that was copied: it was deleted and created again, or restored. Run "npm run projections -- accept-topic" to copy it from its beginning.`;
  if (await stopCopying(pool, { topic, partition }, next, why)) logger.error({ topic, partition }, why);
}
