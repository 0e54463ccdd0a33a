import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { Environment } from '@ledgerline/platform/config/environment';
import { kafkaSettings } from '@ledgerline/platform/config/service-settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { newSecrets } from '../../../scripts/supervisor/secrets';
import { build, root } from '../../journeys/product';
import { kafkaClient } from '../../kafka/client';
import { startKafka, type KafkaCluster } from '../../kafka/cluster';
import type { KafkaConnection } from '../../kafka/security';
import { freePort } from '../../network/free-port';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database';
import { startOldBroker } from './old-broker';

const PARTITIONS = 4;
const TOPIC = 'ledgerline-intake';

/** Tests what a start says of a Kafka that it cannot use. */
export function explainFailures(plain: () => KafkaConnection, newFolder: () => string): void {
  let secured: KafkaCluster;
  let database: TestDatabase;

  beforeAll(async () => {
    [secured, database] = await Promise.all([startKafka({ security: 'tls+sasl' }), createTestDatabase(), build()]);
  });
  afterAll(() => Promise.all([secured.remove(), database.drop()]));

  it('by which the process ends', async () => {
    const wrong = { ...onSecured(), KAFKA_PASSWORD: 'a wrong password' };
    const errors = `${await sentenceWith(wrong)}\n`;
    expect(await trackerWith(wrong)).toEqual({ code: 1, output: '', errors });
  });

  it('where no broker is', async () => {
    expect(await sentenceWith({ KAFKA_BROKERS: '127.0.0.1:1,127.0.0.1:2' })).toBe(
      'No broker of KAFKA_BROKERS (127.0.0.1:1, 127.0.0.1:2) can be reached; check that Kafka is running.',
    );
  });

  it('where a host is unknown', async () => {
    expect(await sentenceWith({ KAFKA_BROKERS: 'kafka.invalid:9092' })).toBe(
      'A host of KAFKA_BROKERS (kafka.invalid:9092) is unknown.',
    );
  });

  it('where something else listens', async () => {
    const { host } = new URL(database.url);
    expect(await sentenceWith({ KAFKA_BROKERS: host })).toBe(
      `Kafka at KAFKA_BROKERS (${host}) closes the connection; check KAFKA_TLS.`,
    );
  });

  it('where the topic has another number of partitions', async () => {
    await createTopic('other', 3);
    expect(await sentenceWith({ ...onPlain(), KAFKA_TOPIC: 'other' })).toBe(
      'The topic other has 3 partitions and the intake log 4; change KAFKA_TOPIC, or delete the topic.',
    );
  });

  it('where the topic takes small batches only', async () => {
    await createTopic('small', PARTITIONS, { 'max.message.bytes': '50000' });
    expect(await sentenceWith({ ...onPlain(), KAFKA_TOPIC: 'small' })).toMatch(
      /^The topic small takes batches of 50000 bytes; set its max\.message\.bytes to \d+, or change KAFKA_TOPIC\.$/,
    );
  });

  it('where the broker is too old', async () => {
    const { broker, close } = await startOldBroker(TOPIC, PARTITIONS);
    expect(await sentenceWith({ KAFKA_BROKERS: broker })).toBe(
      `The Kafka at KAFKA_BROKERS (${broker}) is too old; it must be version 2.1 or later.`,
    );
    close();
  });

  it('where it is to speak TLS with brokers that do not', async () => {
    const [broker] = plain().brokers;
    expect(await sentenceWith({ ...onPlain(), KAFKA_TLS: '1' })).toBe(
      `Kafka at KAFKA_BROKERS (${broker!}) does not speak TLS; unset KAFKA_TLS or change the port.`,
    );
  });

  it('where the brokers speak TLS', async () => {
    const [broker] = secured.connection.brokers;
    expect(await sentenceWith({ KAFKA_BROKERS: broker! })).toBe(
      `Kafka at KAFKA_BROKERS (${broker!}) closes the connection; check KAFKA_TLS.`,
    );
  });

  it('where the certificate of the brokers is not trusted', async () => {
    const { KAFKA_CA_FILE: _, ...rest } = onSecured();
    expect(await sentenceWith(rest)).toBe(
      'The certificate of Kafka is not trusted; check KAFKA_CA_FILE and the host names in KAFKA_BROKERS.',
    );
  });

  it('where it does not sign in', async () => {
    const [broker] = secured.connection.brokers;
    const { KAFKA_BROKERS, KAFKA_TLS, KAFKA_CA_FILE } = onSecured();
    expect(await sentenceWith({ KAFKA_BROKERS, KAFKA_TLS, KAFKA_CA_FILE })).toBe(
      `Kafka at KAFKA_BROKERS (${broker!}) closes the connection; check KAFKA_SASL_MECHANISM.`,
    );
  });

  it.each(['plain', 'scram-sha-512'])('where the password is wrong (%s)', async (mechanism) => {
    const wrong = { KAFKA_SASL_MECHANISM: mechanism, KAFKA_PASSWORD: 'a wrong password' };
    expect(await sentenceWith({ ...onSecured(), ...wrong })).toBe(
      'Kafka refuses the user or the password; check KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM.',
    );
  });

  it('where the user has no rights', async () => {
    const { name, password } = secured.connection.stranger!;
    expect(await sentenceWith({ ...onSecured(), KAFKA_USERNAME: name, KAFKA_PASSWORD: password })).toBe(
      `Kafka does not let KAFKA_USERNAME create, read or write the topic ${TOPIC}; give that user these rights or change KAFKA_TOPIC.`,
    );
  });

  const onPlain = () => ({ KAFKA_BROKERS: plain().brokers.join() });

  const onSecured = () => {
    const { brokers, caFile, user } = secured.connection;
    return {
      KAFKA_BROKERS: brokers.join(),
      KAFKA_TLS: '1',
      KAFKA_CA_FILE: caFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-256',
      KAFKA_USERNAME: user!.name,
      KAFKA_PASSWORD: user!.password,
    };
  };

  async function createTopic(topic: string, numPartitions: number, settings: Record<string, string> = {}) {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    const admin = kafkaClient(plain()).admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions, configEntries }], waitForLeaders: true });
    await admin.disconnect();
  }

  /** @throws what is not for people */
  async function sentenceWith(variables: NodeJS.ProcessEnv): Promise<string> {
    const kafka = kafkaSettings(new Environment(variables));
    const opening = openIntakeSender({ databaseUrl: database.url, partitions: PARTITIONS, kafka });
    const failure: unknown = await opening.catch((error: unknown) => error);
    if (failure instanceof StartFailure) return failure.message;
    throw failure;
  }

  /** Returns what the process of a tracker writes before it ends. */
  async function trackerWith(variables: NodeJS.ProcessEnv) {
    const { authSecret, keyPepper, auditSigningKey } = newSecrets();
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      DATA_DIR: newFolder(),
      AUTH_SECRET: authSecret,
      KEY_PEPPER: keyPepper,
      AUDIT_SIGNING_KEY: auditSigningKey,
      TRACKER_PORT: String(await freePort()),
      INTAKE_PARTITIONS: String(PARTITIONS),
      LOG_LEVEL: 'warn',
      ...variables,
    };
    const tracker = spawn(process.execPath, [join(root, 'dist/apps/tracker/src/main.js')], { env });
    let output = '';
    let errors = '';
    tracker.stdout.on('data', (text: Buffer) => (output += text.toString()));
    tracker.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    const [code] = (await once(tracker, 'close')) as [number | null];
    return { code, output, errors };
  }
}
