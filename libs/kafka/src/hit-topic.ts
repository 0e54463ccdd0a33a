import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admin,
  ConfigResourceTypes,
  type Consumer,
  type EachBatchPayload,
  type ITopicConfig,
  type Kafka,
} from 'kafkajs';
import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { Backoff } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { MessageAuthenticator, type ReadMessage } from './hit-message';
import { explainedBy, copierConsumerGroup, hasKafkaErrorType } from './kafka-failures';
import { TopicWatermarks } from './topic-offsets';
import { PRODUCE_MS, TopicProducer, kafkaClient, withAdmin } from './topic-producer';

/** Neighbouring messages of a partition, as one fetch brought them. */
export interface TopicBatch {
  readonly partition: number;
  /** Where the fetch began. */
  readonly fetchedOffset: number;
  readonly messages: readonly ReadMessage[];
  /** The offset of the last message, or of what is behind it and no message. */
  readonly lastOffset: number;
  /** The next fetch of the partition begins behind this one. */
  done(offset: number): void;
  /** The next fetch of the partition begins here. */
  seek(offset: number): void;
  /** Fetches nothing of the partition for a while. */
  pause(ms: number): void;
  /** To be called between pieces of work. @throws errors of the driver, which must not be caught, when the partition was taken away */
  heartbeat(): Promise<void>;
  /** Returns whether what follows in this batch is no longer to be copied. */
  isStale(): boolean;
}

interface ConsumeOptions {
  readonly onBatch: (batch: TopicBatch) => Promise<void>;
  /** Called whenever partitions were assigned anew, or the driver looked for the topic anew, as after a failed fetch. */
  readonly onTopicSought: () => void;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * The time, ms, after which another process takes over what a dead one had; the least that brokers allow by default.
 */
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
      groupId: copierConsumerGroup(topic),
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

const MAX_REPLICAS = 3;
/** From here on, what is acknowledged survives the loss of a broker. */
const REPLICAS_FOR_TWO_IN_SYNC = 3;
/** The greatest size of a request's hits in one partition, before they are compressed; about twice the longest body. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
/** Kafka's own default. */
export const MIN_BATCH_BYTES = 1_000_000;
const HOUR_MS = 60 * 60_000;

/** Creates the topic of the hits where there is none, and checks one that exists. @throws StartFailure in one sentence */
async function ensureTopic(kafka: Kafka, settings: KafkaSettings, partitions: number): Promise<void> {
  try {
    await withAdmin(kafka, async (admin) => {
      const existing = await partitionsOf(admin, settings.topic);
      if (existing === 0) await create(admin, settings, partitions);
      else checkPartitions(settings.topic, existing, partitions);
      await checkBatchSize(admin, settings.topic);
    });
  } catch (error) {
    throw explainedBy(settings, error);
  }
}

/** 0 where there is no such topic. */
async function partitionsOf(admin: Admin, topic: string): Promise<number> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.length ?? 0;
  } catch (error) {
    if (hasKafkaErrorType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return 0;
    throw error;
  }
}

async function create(admin: Admin, settings: KafkaSettings, partitions: number): Promise<void> {
  const { topic, retentionHours } = settings;
  const { brokers } = await admin.describeCluster();
  const replicas = settings.replicationFactor ?? Math.min(MAX_REPLICAS, brokers.length);
  const entries: Readonly<Record<string, string>> = {
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionHours * HOUR_MS),
    'max.message.bytes': String(MAX_BATCH_BYTES),
    'message.timestamp.type': 'LogAppendTime', // arrival by one clock
    'compression.type': 'gzip', // the only one that the driver reads, whoever writes
    'min.insync.replicas': replicas >= REPLICAS_FOR_TWO_IN_SYNC ? '2' : '1',
  };
  const config: ITopicConfig = {
    topic,
    numPartitions: partitions,
    replicationFactor: replicas,
    configEntries: Object.entries(entries).map(([name, value]) => ({ name, value })),
  };
  await admin.createTopics({ topics: [config], waitForLeaders: false });
  checkPartitions(topic, await createdPartitions(admin, topic), partitions); // another process may have been faster
}

const LOOKS = 50;
const LOOK_EVERY_MS = 100;

/** TRICKY: a broker may not know a new topic yet, which the driver takes for a failure where it waits itself. */
async function createdPartitions(admin: Admin, topic: string): Promise<number> {
  for (let look = 1; look < LOOKS; look++) {
    const found = await partitionsOf(admin, topic);
    if (found > 0) return found;
    await sleep(LOOK_EVERY_MS);
  }
  return partitionsOf(admin, topic);
}

function checkPartitions(topic: string, found: number, partitions: number): void {
  if (found !== partitions)
    throw new StartFailure(
      `The topic ${topic} has ${found} partitions and the intake log ${partitions}; change KAFKA_TOPIC, or delete the topic.`,
    );
}

/**
 * Checks the greatest size of a batch; it also fails on a broker that keeps no headers. Nothing is checked where the
 * user may not read settings of topics.
 */
async function checkBatchSize(admin: Admin, topic: string): Promise<void> {
  const wanted = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes'] };
  const described = await admin
    .describeConfigs({ resources: [wanted], includeSynonyms: false })
    .catch((error: unknown) => {
      if (hasKafkaErrorType(error, 'TOPIC_AUTHORIZATION_FAILED')) return undefined;
      throw error;
    });
  const bytes = Number(described?.resources[0]?.configEntries[0]?.configValue ?? MIN_BATCH_BYTES);
  if (bytes < MIN_BATCH_BYTES)
    throw new StartFailure(
      `The topic ${topic} takes batches of ${bytes} bytes; set its max.message.bytes to ${MAX_BATCH_BYTES}, or change KAFKA_TOPIC.`,
    );
}

/** The topic that hits are sent to. */
export interface HitTopic {
  readonly name: string;
  readonly tags: MessageAuthenticator;
  producer(): TopicProducer;
  consumer(options: ConsumeOptions): TopicConsumer;
  watermarks(): TopicWatermarks;
}

/** Makes sure that the topic is there and fits the log. @throws StartFailure in one sentence */
export async function openHitTopic(settings: KafkaSettings, process: string, partitions: number): Promise<HitTopic> {
  const kafka = kafkaClient(settings, process);
  await ensureTopic(kafka, settings, partitions);
  const { topic } = settings;
  return {
    name: topic,
    tags: new MessageAuthenticator(settings.secret, topic),
    producer: () => new TopicProducer(kafkaClient(settings, process, PRODUCE_MS), topic),
    consumer: (options) => new TopicConsumer(kafka, topic, options),
    watermarks: () => new TopicWatermarks(kafka, topic),
  };
}
