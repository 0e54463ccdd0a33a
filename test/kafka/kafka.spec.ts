import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Kafka } from 'kafkajs';
import { temporaryFolder } from '../processes/temporary-folder.hooks';
import { waitUntil } from '../wait-until';
import { kafkaClient } from './client';
import { startKafka, type KafkaCluster, type KafkaOptions } from './cluster';
import { describeOnKafka } from './on-kafka';
import type { ReleaseName } from './releases';

const TOPIC = 'hits';

let cluster: KafkaCluster | undefined;

async function start(options: KafkaOptions): Promise<KafkaCluster> {
  cluster = await startKafka(options);
  return cluster;
}

afterEach(async () => {
  await cluster?.remove();
  cluster = undefined;
});

async function createTopic(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC }], waitForLeaders: true });
  await admin.disconnect();
}

/** Resolves when all in-sync replicas have them. */
async function produce(kafka: Kafka, ...values: readonly string[]): Promise<void> {
  const producer = kafka.producer({ idempotent: true });
  await producer.connect();
  try {
    await producer.send({ topic: TOPIC, acks: -1, messages: values.map((value) => ({ value })) });
  } finally {
    await producer.disconnect();
  }
}

/** Reads from the first message on, until there are so many. */
async function consume(kafka: Kafka, count: number): Promise<string[]> {
  const values: string[] = [];
  const consumer = kafka.consumer({ groupId: 'readers' });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: ({ message }) => {
      values.push(String(message.value));
      return Promise.resolve();
    },
  });
  await waitUntil(() => values.length >= count);
  await consumer.disconnect();
  return values;
}

const withTls = (name: string, version: ReleaseName, sized: { readonly sizedBy?: string } = {}) =>
  describeOnKafka(
    name,
    () => {
      it('takes messages from those who may write, over TLS', async () => {
        const { connection } = await start({ version, security: 'tls+sasl' });
        await createTopic(kafkaClient(connection));
        await produce(kafkaClient(connection, { mechanism: 'plain' }), 'a');
        await produce(kafkaClient(connection, { mechanism: 'scram-sha-256' }), 'b');
        await produce(kafkaClient(connection, { mechanism: 'scram-sha-512' }), 'c');
        expect(await consume(kafkaClient(connection), 3)).toEqual(['a', 'b', 'c']);

        const { caFile: _, ...withoutAuthority } = connection;
        await expect(produce(kafkaClient(withoutAuthority, { retries: 1 }), 'd')).rejects.toThrow('Closed connection');
        const user = { name: connection.user!.name, password: 'wrong' };
        await expect(produce(kafkaClient(connection, { user }), 'd')).rejects.toThrow(/Authentication failed/);
        const stranger = kafkaClient(connection, { user: connection.stranger });
        await expect(produce(stranger, 'd')).rejects.toThrow(/authoriz/);
      });
    },
    { ...sized, releases: [version], ownBrokers: true },
  );

withTls('the current Apache Kafka', 'current');
withTls('Apache Kafka 3.9', '3.9', { sizedBy: 'KAFKA_KILLS' }); // another download of 46 MB

describeOnKafka(
  'one broker',
  () => {
    it('ends with the process that started it, and its files', async () => {
      const folder = temporaryFolder('kafka');
      const runner = spawn(process.execPath, [join(__dirname, 'run.cjs')], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR: folder },
      });
      const [line] = (await once(createInterface(runner.stdout), 'line')) as [string];
      const [, broker] = /^KAFKA_BROKERS=(127\.0\.0\.1:\d+)$/.exec(line)!;
      expect(await accepted(broker!)).toBe(true);
      expect(readdirSync(folder)).not.toEqual([]);
      runner.kill('SIGKILL');
      await waitUntil(() => readdirSync(folder).length === 0);
      expect(await accepted(broker!)).toBe(false);
    });
  },
  { ownBrokers: true },
);

/** Returns whether a broker, HOST:PORT, accepts a connection. */
async function accepted(broker: string): Promise<boolean> {
  const [host, port] = broker.split(':');
  const socket = connect(Number(port), host);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
