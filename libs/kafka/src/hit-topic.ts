import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, ConfigResourceTypes, type ITopicConfig, type Kafka } from 'kafkajs';
import type { KafkaSettings } from '@ledgerline/platform/config/kafka-settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { MessageTags } from './hit-message';
import { kafkaClient, PRODUCE_MS, withAdmin } from './kafka-client';
import { explainedBy, hasType } from './kafka-failures';
import { type ConsumeOptions, TopicConsumer } from './topic-consumer';
import { TopicWatermarks } from './topic-offsets';
import { TopicProducer } from './topic-producer';

const MAX_REPLICAS = 3;
/** From here on, what is acknowledged survives the loss of a broker. */
const REPLICAS_FOR_TWO_IN_SYNC = 3;
/** Of a request's hits in one partition, before they are compressed; about twice the longest body. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
/** Kafka's own default. */
export const MIN_BATCH_BYTES = 1_000_000;
const HOUR_MS = 60 * 60_000;

/** Creates the topic of the hits where there is none, and checks one that exists. @throws StartFailure in one sentence */
export async function ensureTopic(kafka: Kafka, settings: KafkaSettings, partitions: number): Promise<void> {
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
    if (hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return 0;
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

const [LOOKS, LOOK_EVERY_MS] = [50, 100];

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

/** Also fails on a broker that keeps no headers. Nothing is checked where the user may not read settings of topics. */
async function checkBatchSize(admin: Admin, topic: string): Promise<void> {
  const wanted = { type: ConfigResourceTypes.TOPIC, name: topic, configNames: ['max.message.bytes'] };
  const described = await admin
    .describeConfigs({ resources: [wanted], includeSynonyms: false })
    .catch((error: unknown) => {
      if (hasType(error, 'TOPIC_AUTHORIZATION_FAILED')) return undefined;
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
  readonly tags: MessageTags;
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
    tags: new MessageTags(settings.secret, topic),
    producer: () => new TopicProducer(kafkaClient(settings, process, PRODUCE_MS), topic),
    consumer: (options) => new TopicConsumer(kafka, topic, options),
    watermarks: () => new TopicWatermarks(kafka, topic),
  };
}
