import type { MessageCopy } from '@ledgerline/kafka/copying';
import {
  digestOf,
  readHitMessage,
  type ReadMessage,
  type MessageRefusal,
  type SentHit,
  type TopicReading,
} from '@ledgerline/kafka/hit-message';
import type { Senders } from '@ledgerline/kafka/topic-offsets';
import type { EncodedHit } from '@ledgerline/platform/intake-log/encoded-hit';

/** Neighbouring messages that are copied in one transaction, and what is in them. */
export type Chunk = Pick<MessageCopy, 'hits' | 'refused' | 'senders' | 'to' | 'digest' | 'arrivedAt'> & {
  /** Messages that were sent again because the outcome of the first time was unknown. */
  readonly repeated: number;
};

interface ChunkOptions extends TopicReading {
  /** As it was before the messages. */
  readonly senders: Senders;
}

const MAX_MESSAGES = 2_000;
const MAX_BYTES = 2 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
/** A message is sent again within seconds. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;

/**
 * Yields the chunks in which the messages of a partition are copied. A chunk ends where the UTC day ends, because
 * retries are recorded by it, and never within hits that are recognised as one batch.
 */
export function* chunksOf(messages: readonly ReadMessage[], options: ChunkOptions): Generator<Chunk> {
  let chunk = new ChunkBuilder(options.senders);
  for (const message of messages) {
    const read = readHitMessage(message, options);
    if (chunk.isFull(message, read)) {
      yield chunk.build();
      chunk = new ChunkBuilder(chunk.senders);
    }
    chunk.add(message, read);
  }
  if (!chunk.isEmpty) yield chunk.build();
}

class ChunkBuilder {
  private readonly hits: EncodedHit[] = [];
  private readonly refused: { offset: number; reason: MessageRefusal }[] = [];
  private readonly own: Map<string, readonly [number: number, at: number]>;
  private last: ReadMessage | undefined;
  private batch: string | undefined;
  private count = 0;
  private bytes = 0;
  private repeated = 0;

  constructor(senders: Senders) {
    this.own = new Map(Object.entries(senders));
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get senders(): Senders {
    const now = Number(this.last?.timestamp ?? 0);
    return Object.fromEntries([...this.own].filter(([, [, at]]) => at > now - FORGOTTEN_AFTER_MS));
  }

  isFull({ timestamp }: ReadMessage, read: SentHit | MessageRefusal): boolean {
    if (this.last === undefined) return false;
    if (typeof read === 'object' && read.hit.key === this.batch) return false;
    return this.count >= MAX_MESSAGES || this.bytes >= MAX_BYTES || dayOf(timestamp) !== dayOf(this.last.timestamp);
  }

  add(message: ReadMessage, read: SentHit | MessageRefusal): void {
    this.last = message;
    this.count++;
    this.bytes += message.value?.length ?? 0;
    if (typeof read === 'string') {
      this.refused.push({ offset: Number(message.offset), reason: read });
      return;
    }
    const { hit, sent } = read;
    this.batch = hit.key;
    if (sent !== undefined && this.isRepeated(sent, message)) this.repeated++;
    else this.hits.push(hit);
  }

  private isRepeated({ sender, number }: NonNullable<SentHit['sent']>, { timestamp }: ReadMessage): boolean {
    const [newest] = this.own.get(sender) ?? [-1];
    if (number <= newest) return true;
    this.own.set(sender, [number, Number(timestamp)]);
    return false;
  }

  build(): Chunk {
    const { hits, refused, senders, last, repeated } = this;
    if (last === undefined) throw new RangeError('A chunk has at least one message.');
    const to = Number(last.offset) + 1;
    const arrivedAt = Number(last.timestamp);
    return { hits, refused, senders, to, digest: digestOf(last), arrivedAt, repeated };
  }
}

const dayOf = (timestamp: string): number => Math.floor(Number(timestamp) / DAY_MS);
