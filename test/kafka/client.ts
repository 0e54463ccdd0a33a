import { readFileSync } from 'node:fs';
import { Kafka, logLevel, type KafkaConfig, type SASLOptions } from 'kafkajs';
import type { KafkaConnection, KafkaUser } from './security';

interface ClientOptions {
  readonly user?: KafkaUser;
  readonly mechanism?: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  /** As many as kafkajs makes by itself, unless given. */
  readonly retries?: number;
}

/** A client of kafkajs, as the user who may do everything unless another one is given. */
export function kafkaClient(connection: KafkaConnection, options: ClientOptions = {}): Kafka {
  const { brokers, caFile, user: superUser } = connection;
  const { user, mechanism = 'scram-sha-512', retries = 5 } = options;
  const { name: username, password } = user ?? superUser ?? {};
  const config: KafkaConfig = { brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries } };
  if (caFile !== undefined) config.ssl = { ca: readFileSync(caFile, 'utf8') };
  if (username !== undefined) config.sasl = { mechanism, username, password } as SASLOptions; // of one mechanism each
  return new Kafka(config);
}
