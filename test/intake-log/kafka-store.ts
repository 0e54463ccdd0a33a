import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { loadHitTopic, openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { readCopied, useTopic } from '@ledgerline/kafka/topic-offsets';
import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeItem, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Copier } from '../../apps/projector/src/copier/copier';
import type { KafkaConnection } from '../kafka/security';
import { createTestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import { hit } from './hits.fixture';
import type { IntakeLogStore } from './intake-log.laws';

/** The time, ms, after an answer until the hits are in the segments. */
const COPIED_WITHIN_MS = 30_000;

export const settingsFor = ({ brokers }: KafkaConnection, topic = `hits-${randomUUID()}`): KafkaSettings => ({
  secret: 'a pepper for tests and nothing else than tests',
  brokers,
  topic,
  replicationFactor: undefined,
  retentionHours: 168,
  tls: undefined,
  sasl: undefined,
});

/** A log of one partition whose hits go through Kafka; a send resolves when they can be read. */
export async function kafkaStore(connection: KafkaConnection): Promise<IntakeLogStore> {
  const { url: databaseUrl, drop } = await createTestDatabase();
  const kafka = settingsFor(connection);
  const other = new Pool({ connectionString: databaseUrl, application_name: 'another process' });
  other.on('error', () => undefined);
  const log = await openIntakeLog({ databaseUrl, partitions: 1 });
  await useTopic(other, kafka.topic);
  const pool = openPool({ url: databaseUrl, name: 'intake-copy', max: 3, pipeline: true });
  const topic = await loadHitTopic(kafka, 'copier', 1);
  const copier = new Copier({ topic, pool, partitions: 1, logger: createLogger('copier', 'silent') });
  copier.start();
  const copied = async (position: string) => {
    const isCopied = async () => {
      const at = await readCopied(other, { topic: kafka.topic, partition: 0 });
      return at !== undefined && at.next > Number(position.slice(1));
    };
    await waitUntil(isCopied, undefined, COPIED_WITHIN_MS);
  };
  const open = async (): Promise<IntakeLog> => {
    const reading = await openIntakeLog({ databaseUrl, partitions: 1 });
    const sender = await openIntakeSender({ databaseUrl, kafka, partitions: 1 });
    const send = async (hits: readonly IntakeItem[]) => {
      const { outcomes, positions } = await sender.send(hits);
      for (const position of positions.values()) await copied(position);
      const head = () => reading.head(0).catch(() => undefined); // its connections may have been cut
      return { outcomes, positions: new Map([[0, await waitUntil(head)]]) };
    };
    const close = async () => void (await Promise.all([sender.close(), reading.close()]));
    return Object.assign(Object.create(reading) as IntakeLog, { send, close, probe: () => sender.probe() });
  };
  const writer = await openIntakeSender({ databaseUrl, kafka, partitions: 1 });
  return {
    judges: false,
    open,
    async cutConnections() {
      cutSocketsTo(connection);
      await other.query(`
        select pg_terminate_backend(pid, 60000) from pg_stat_activity
        where datname = current_database() and application_name like 'ledgerline-intake%'`);
    },
    async writeSlowly(names, { delayMs, commit }) {
      await sleep(delayMs);
      if (!commit) return;
      const { positions } = await writer.send(names.map((name) => hit(name)));
      for (const position of positions.values()) await copied(position);
    },
    async holdOpenWrite() {
      const client = new Client({ connectionString: databaseUrl });
      client.on('error', () => undefined);
      await client.connect();
      await client.query('create table elsewhere (n integer); begin; insert into elsewhere values (1)');
      return () => client.end();
    },
    async recreate() {
      await other.query(`
        truncate intake_segments; update intake_heads set next_offset = 0, chain = default;
        update intake_log set epoch = gen_random_uuid()`);
    },
    async remove() {
      await Promise.all([writer.close(), copier.stop()]);
      await Promise.all([log.close(), pool.end(), other.end()]);
      await drop();
    },
  };
}

/** TRICKY: brokers name their own addresses, so that no proxy is between them and this process. */
function cutSocketsTo({ brokers }: KafkaConnection): void {
  const ports = new Set(brokers.map((broker) => Number(broker.split(':').at(-1))));
  const { _getActiveHandles: handles } = process as unknown as { readonly _getActiveHandles: () => unknown[] }; // not in its types
  for (const handle of handles.call(process))
    if (handle instanceof Socket && ports.has(handle.remotePort ?? 0))
      handle.destroy(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
}
