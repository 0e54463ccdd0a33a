import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { Backoff } from '@ledgerline/platform/log/backoff';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { groupOf } from './kafka-failures';
import type { ReadMessage } from './hit-message';

/** Neighbouring messages of a partition, as one fetch brought them. */
export interface TopicBatch {
  readonly partition: number;
  /** Where the fetch began. */
  readonly fetchedOffset: number;
  readonly messages: readonly ReadMessage[];
  /** Of the last message, or of what is behind it and no message. */
  readonly lastOffset: number;
  /** The next fetch of the partition begins behind this one. */
  done(offset: number): void;
  /** The next fetch of the partition begins here. */
  seek(offset: number): void;
  /** Fetches nothing of the partition for a while. */
  pause(ms: number): void;
  /** To be called between pieces of work. @throws errors of the driver, which must not be caught, when the partition was taken away */
  heartbeat(): Promise<void>;
  /** Whether what follows in this batch is no longer to be copied. */
  isStale(): boolean;
}

export interface ConsumeOptions {
  readonly onBatch: (batch: TopicBatch) => Promise<void>;
  /** Called whenever partitions were assigned anew, or the driver looked for the topic anew, as after a failed fetch. */
  readonly onTopicSought: () => void;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** How soon another process takes over what a dead one had; the least that brokers allow by default. */
const SESSION_MS = 6_000;
const HEARTBEAT_MS = 1_000;
const WAIT_MS = 500;
const AT_ONCE = 2;
/** Requests by which the driver finds the leaders of a topic, or its part of it. */
const SEEKING: ReadonlySet<string> = new Set(['Metadata', 'SyncGroup']);

/** Reads the partitions of a topic that its group assigns to this process, until it is stopped. */
export class TopicConsumer {
  private readonly stopping = new AbortController();
  private readonly outage: OutageLog;
  private readonly resuming = new Set<NodeJS.Timeout>();
  private running: Promise<void> | undefined;
  private consumer: Consumer | undefined;
  /** Ends the consumer that runs. */
  private end: () => void = () => undefined;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
    private readonly options: ConsumeOptions,
  ) {
    this.outage = new OutageLog(options.logger, {
      began: 'Kafka cannot be read; trying again',
      ended: 'Kafka can be read again',
    });
  }

  start(): void {
    this.running = this.keepRunning();
  }

  /** Resolves when the batch under way is done and the group has been left. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.end();
    for (const timer of this.resuming) clearTimeout(timer);
    await this.running;
  }

  /** For people who watch the group; failures do not matter. */
  async commit(partition: number, offset: number): Promise<void> {
    const { topic } = this;
    await this.consumer?.commitOffsets([{ topic, partition, offset: String(offset) }]).catch(() => undefined);
  }

  /** The driver gives up after some errors: then it is started anew. */
  private async keepRunning(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(signal);
    for (;;) {
      const began = performance.now();
      const failure = await this.runOnce().catch((error: unknown) => error);
      if (signal.aborted) return;
      this.outage.failed(failure);
      if (performance.now() - began > SESSION_MS) backoff.reset();
      await backoff.pause();
    }
  }

  /** Resolves with what ended it. */
  private async runOnce(): Promise<unknown> {
    const { kafka, topic } = this;
    const consumer = kafka.consumer({
      groupId: groupOf(topic),
      sessionTimeout: SESSION_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: SESSION_MS,
      maxWaitTimeInMs: WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: () => Promise.resolve(false) },
    });
    const ended = new Promise<unknown>((resolve) => {
      consumer.on('consumer.crash', ({ payload }) => resolve(payload.error));
      this.end = () => resolve(undefined);
    });
    consumer.on('consumer.group_join', this.options.onTopicSought);
    // the driver recovers from a failed fetch without another event
    consumer.on('consumer.network.request', ({ payload: { apiName } }) => {
      if (SEEKING.has(apiName)) this.options.onTopicSought();
    });
    consumer.on('consumer.fetch', () => this.outage.succeeded());
    this.consumer = consumer;
    try {
      if (this.stopping.signal.aborted) return undefined;
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: AT_ONCE,
        eachBatch: (payload) => this.options.onBatch(this.batchOf(payload, consumer)),
      });
      return await ended;
    } finally {
      await consumer.disconnect().catch(() => undefined);
    }
  }

  private batchOf(payload: EachBatchPayload, consumer: Consumer): TopicBatch {
    const { batch } = payload;
    const { partition, messages } = batch;
    return {
      partition,
      fetchedOffset: Number((batch as typeof batch & { readonly fetchedOffset: string }).fetchedOffset), // not in its types
      messages,
      lastOffset: Number(batch.lastOffset()),
      done: (offset) => payload.resolveOffset(String(offset)),
      seek: (offset) => consumer.seek({ topic: this.topic, partition, offset: String(offset) }),
      pause: (ms) => this.resumeAfter(ms, payload.pause()),
      heartbeat: () => payload.heartbeat(),
      isStale: () => !payload.isRunning() || payload.isStale() || this.stopping.signal.aborted,
    };
  }

  private resumeAfter(ms: number, resume: () => void): void {
    const timer = setTimeout(() => {
      this.resuming.delete(timer);
      resume();
    }, ms);
    this.resuming.add(timer);
  }
}
