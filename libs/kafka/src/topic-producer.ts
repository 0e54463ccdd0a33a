import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type InputType, gunzip, gzip } from 'node:zlib';
import {
  CompressionCodecs,
  CompressionTypes,
  Kafka,
  type KafkaConfig,
  type Producer,
  type RetryOptions,
  logLevel,
} from 'kafkajs';
import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import type { HitMessage } from './hit-message';
import { causesOf } from './kafka-failures';

const CONNECT_MS = 2_000;
const REQUEST_MS = 5_000;
/** Leaves time to send a batch again on another connection before its callers are refused. */
export const PRODUCE_MS = 2_500;
/** Half of the time of the default, for a tenth more bytes. */
const GZIP_LEVEL = 1;

/** A short outage is waited out by the caller, who has a deadline. */
const RETRY: RetryOptions = { retries: 3, initialRetryTime: 50, maxRetryTime: 200 };

/** A client of Kafka; connects to nothing by itself. */
export function kafkaClient(settings: KafkaSettings, name: string, requestTimeout = REQUEST_MS): Kafka {
  CompressionCodecs[CompressionTypes.GZIP] = () => CODEC;
  return new Kafka({
    clientId: `ledgerline-${name}`,
    brokers: [...settings.brokers],
    ...securityOf(settings),
    connectionTimeout: CONNECT_MS,
    authenticationTimeout: CONNECT_MS,
    requestTimeout,
    retry: RETRY,
    logLevel: logLevel.NOTHING, // what matters is thrown, and logged where it is caught
  });
}

/** Ends with what a client is connected to. */
export async function withAdmin<T>(kafka: Kafka, work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

function securityOf({ tls, sasl }: KafkaSettings): Pick<KafkaConfig, 'ssl' | 'sasl'> {
  const ca = tls?.caFile === undefined ? undefined : [readFileSync(tls.caFile, 'utf8')];
  return {
    ...(tls === undefined ? {} : { ssl: ca === undefined ? true : { ca } }),
    ...(sasl === undefined ? {} : { sasl: sasl as NonNullable<KafkaConfig['sasl']> }),
  };
}

const compress = promisify<InputType, { level: number }, Buffer>(gzip);
const decompress = promisify<InputType, Buffer>(gunzip);

const CODEC = {
  compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer, { level: GZIP_LEVEL }),
  decompress: (packed: Buffer) => decompress(packed),
};

/** The time, ms, that the leader of a partition may take to replicate a batch, ms. */
const REPLICATED_WITHIN_MS = 2_000;

/** Writes to a topic; connections on which nothing is answered are replaced. */
export class TopicProducer {
  private producer: Promise<Producer> | undefined;
  private isClosed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly topic: string,
  ) {}

  /**
   * Writes messages of one partition as one batch, all or none; resolves with the offset of the first when all replicas
   * in sync have them. TRICKY: the driver's retries of a batch for several partitions lose or repeat some of them when a
   * partition gets another leader, so there is one call for each partition.
   */
  async write(partition: number, messages: readonly HitMessage[]): Promise<number> {
    const producer = (this.producer ??= this.connect());
    try {
      const written = await (
        await producer
      ).send({
        topic: this.topic,
        acks: -1,
        timeout: REPLICATED_WITHIN_MS,
        compression: CompressionTypes.GZIP,
        messages: messages.map((message) => ({ ...message, partition })),
      });
      return Number(written[0]?.baseOffset);
    } catch (error) {
      if (!isAnswer(error)) this.replace(producer);
      throw error;
    }
  }

  /** Resolves when every partition of the topic has a leader. */
  async probe(): Promise<void> {
    await withAdmin(this.kafka, (admin) => admin.fetchTopicOffsets(this.topic));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.producer?.then((producer) => producer.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition ?? 0,
      retry: { retries: 0 }, // the sender retries until its deadline
    });
    try {
      await producer.connect();
      if (this.isClosed) throw new Error('the producer is closed');
      return producer;
    } catch (error) {
      void producer.disconnect().catch(() => undefined);
      this.producer = undefined;
      throw error;
    }
  }

  private replace(producer: Promise<Producer>): void {
    if (this.producer !== producer) return;
    this.producer = undefined;
    void producer.then((old) => old.disconnect()).catch(() => undefined);
  }
}

/**
 * Returns whether the broker answered. The driver goes on with connections that it has found dead ("Broker not
 * connected").
 */
const isAnswer = (error: unknown): boolean => causesOf(error).some(({ type }) => type !== '');
