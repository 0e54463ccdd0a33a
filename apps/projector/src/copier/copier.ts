import { isMissingFunction, isMissingTable, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { topicUnavailable } from '@ledgerline/platform/intake-log/kafka/kafka-failures';
import type { HitTopic } from '@ledgerline/platform/intake-log/kafka/open-hit-topic';
import type { TopicBatch, TopicConsumer } from '@ledgerline/platform/intake-log/kafka/topic-consumer';
import type { TopicWatermarks } from '@ledgerline/platform/intake-log/kafka/topic-watermarks';
import { pause } from '@ledgerline/platform/log/backoff';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';
import { followEnds } from './follow-ends';
import { PartitionCopier, type Copied } from './partition-copier';

interface CopierParts {
  readonly topic: HitTopic;
  readonly pool: Pool;
  /** Of the intake log. */
  readonly partitions: number;
  readonly logger: Logger;
  readonly onCopied?: (counts: Copied) => void;
}

const RETRY_MS = 500;
const COMMITTED_EVERY_MS = 5_000;
const STRANGE_PARTITION_MS = 60_000;

/** Copies hits from Kafka into the segments of the intake log; several processes share the partitions. */
export class Copier {
  private readonly stopping = new AbortController();
  private readonly copiers: readonly PartitionCopier[];
  private readonly watermarks: TopicWatermarks;
  private readonly consumer: TopicConsumer;
  private readonly outage: OutageLog;
  private readonly committedAt: number[] = [];
  private following: Promise<void> | undefined;

  constructor(private readonly parts: CopierParts) {
    const { topic, pool, partitions, logger, onCopied = () => undefined } = parts;
    this.watermarks = topic.watermarks();
    this.copiers = Array.from({ length: partitions }, (_, partition) => {
      const watermarks = () => this.watermarks.of(partition);
      const { name, tags } = topic;
      return new PartitionCopier({ pool, topic: name, tags, partition, partitions, watermarks, logger, onCopied });
    });
    const onTopicSought = () => this.copiers.forEach((copier) => copier.forget());
    this.consumer = topic.consumer({ logger, onTopicSought, onBatch: (batch) => this.copy(batch) });
    this.outage = new OutageLog(logger, {
      began: 'hits cannot be copied from Kafka; trying again',
      ended: 'hits are copied from Kafka again',
    });
  }

  start(): void {
    const { pool, topic, logger } = this.parts;
    const { signal } = this.stopping;
    this.consumer.start();
    this.following = followEnds({ pool, topic: topic.name, watermarks: this.watermarks, logger, signal });
  }

  /** Resolves while Kafka has the topic, and a leader for each of its partitions. @throws LogUnavailable */
  async probe(): Promise<void> {
    await this.watermarks.all().catch((error: unknown) => {
      throw topicUnavailable(error);
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.consumer.stop(), this.following]);
    await this.watermarks.close();
  }

  /** The partition is kept while the database is away. */
  private async copy(batch: TopicBatch): Promise<void> {
    const copier = this.copiers[batch.partition];
    if (copier === undefined) batch.pause(STRANGE_PARTITION_MS); // one that was added to the topic, to which nothing is sent
    while (copier && !batch.isStale()) {
      try {
        const next = await copier.copy(batch);
        this.outage.succeeded();
        if (next !== undefined) this.commit(batch.partition, next);
        return;
      } catch (error) {
        copier.forget();
        if (!isTransient(error)) throw error;
        this.outage.failed(error);
        await pause(RETRY_MS, this.stopping.signal);
        await batch.heartbeat();
      }
    }
  }

  /** The offsets of the group decide nothing: they are for people who watch it. */
  private commit(partition: number, next: number): void {
    const now = performance.now();
    if (now - (this.committedAt[partition] ?? -COMMITTED_EVERY_MS) < COMMITTED_EVERY_MS) return;
    this.committedAt[partition] = now;
    void this.consumer.commit(partition, next);
  }
}

const isTransient = (error: unknown): boolean =>
  isUnavailable(error) || isMissingFunction(error) || isMissingTable(error);
