import type { Pool } from 'pg';
import { Counter } from 'prom-client';
import { loadHitTopic } from '@ledgerline/engines/intake-sender.factory';
import type { HitTopic, TopicBatch, TopicConsumer } from '@ledgerline/kafka/hit-topic';
import { topicUnavailable } from '@ledgerline/kafka/kafka-failures';
import { noteEnds, readNextOffsets, type TopicWatermarks, useTopic } from '@ledgerline/kafka/topic-offsets';
import type { Settings } from '@ledgerline/platform/config/settings';
import { endProcess } from '@ledgerline/platform/config/start-failure';
import { isMissingFunction, isMissingTable, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { OpenedWhenUp } from '@ledgerline/platform/log/opened-when-up';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { StoreCheck } from '@ledgerline/platform/processes/store-checks';
import { PartitionCopier, checkOffset, type Copied } from './partition-copier';

/** A copier of hits that works while this process runs. */
export interface StoppableCopier {
  start(): void;
  /** The checks of whether what is to be copied can be read. */
  readonly checks: readonly StoreCheck[];
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

const NOTHING: StoppableCopier = { start: () => undefined, checks: [], stop: () => Promise.resolve() };

/** A process that hangs inside a transaction loses it after a few seconds, so that another one can take over. */
const POOL = { name: 'copier', max: 3, pipeline: true, idleInTransactionTimeoutMs: 5_000 };

/**
 * The copier of an installation with Kafka; it begins when Kafka is there. The log must exist.
 * @throws StartFailure where Kafka cannot serve, however long one waits
 */
export async function openCopier(
  { kafka: settings, databaseUrl }: Pick<Settings, 'kafka' | 'databaseUrl'>,
  log: Pick<IntakeLog, 'partitions'>,
  metrics: Metrics,
  logger: Logger,
): Promise<StoppableCopier> {
  const pool = openPool({ ...POOL, url: databaseUrl });
  const onCopied = countCopied(metrics);
  const partitions = await log.partitions();
  await useTopic(pool, settings?.topic ?? null);
  if (settings === undefined) {
    await pool.end();
    return NOTHING;
  }
  let isStarted = false;
  const connect = async () => {
    const topic = await loadHitTopic(settings, 'copier', partitions);
    const copier = new Copier({ topic, pool, partitions, logger, onCopied });
    if (isStarted) copier.start();
    return { start: () => copier.start(), probe: () => copier.probe(), close: () => copier.stop() };
  };
  const opened = await OpenedWhenUp.open(connect, { name: 'Kafka', logger, end: endProcess });
  return {
    start: () => {
      isStarted = true;
      if (opened.isThere) opened.get().start();
    },
    checks: [{ store: 'kafka', operation: 'read', check: async () => opened.get().probe() }],
    stop: async () => {
      await opened.close();
      await pool.end();
    },
  };
}

interface CopierParts {
  readonly topic: HitTopic;
  readonly pool: Pool;
  /** The number of partitions of the intake log. */
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

interface Ends {
  readonly pool: Pool;
  readonly topic: string;
  readonly watermarks: TopicWatermarks;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const EVERY_MS = 1_000;

/** Records every second where the partitions of the topic end, so that what is not copied yet is known everywhere. */
async function followEnds(ends: Ends): Promise<void> {
  const outage = new OutageLog(ends.logger, {
    began: 'it is unknown what is to be copied from Kafka; trying again',
    ended: 'it is known again what is to be copied from Kafka',
  });
  while (!ends.signal.aborted) {
    try {
      await followOnce(ends);
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
    await pause(EVERY_MS, ends.signal);
  }
}

async function followOnce({ pool, topic, watermarks, logger }: Ends): Promise<void> {
  const [row] = await run<{ now: Date }>(pool, sql`select clock_timestamp() as now`);
  const copied = await readNextOffsets(pool, topic); // before the ends, which are at or behind them
  const ends = await watermarks.all();
  for (const one of ends) await checkOffset({ pool, topic, logger }, copied.get(one.partition) ?? 0, one);
  await noteEnds(pool, topic, ends, row?.now ?? new Date());
}

/** Counts what this process copies from Kafka. */
function countCopied({ registry }: Metrics): (counts: Copied) => void {
  const messages = new Counter({
    name: 'ledgerline_copier_messages_total',
    help: 'Messages of Kafka by outcome: stored, duplicate, or refused because they are no hits',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return ({ stored, duplicates, refused }) => {
    messages.inc({ outcome: 'stored' }, stored);
    messages.inc({ outcome: 'duplicate' }, duplicates);
    messages.inc({ outcome: 'refused' }, refused);
  };
}
