import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzip, gzip, type InputType } from 'node:zlib';
import { CompressionCodecs, CompressionTypes, Kafka, logLevel, type KafkaConfig, type RetryOptions } from 'kafkajs';
import type { KafkaSettings } from '@ledgerline/platform/config/kafka-settings';

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
