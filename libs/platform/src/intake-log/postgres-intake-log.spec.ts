import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { hit } from '@test/intake-log/hits.fixture';
import { intakeLogLaws, type IntakeLogStore } from '@test/intake-log/intake-log.laws';
import { createTestDatabase } from '@test/postgres/test-database';
import { transaction } from '../database/pool';
import { encodeHit } from './encoded-hit';
import { appendSegments, packSegments } from './flush';
import { openIntakeLog } from './postgres-intake-log';

intakeLogLaws('Postgres', async (): Promise<IntakeLogStore> => {
  const { url, drop } = await createTestDatabase();
  const other = new Pool({ connectionString: url, application_name: 'another process' });
  other.on('error', () => undefined);
  return {
    open: () => openIntakeLog({ databaseUrl: url, partitions: 1 }),
    async cutConnections() {
      await other.query(`
        select pg_terminate_backend(pid, 60000) from pg_stat_activity
        where datname = current_database() and application_name like 'ledgerline-intake%'`);
    },
    async writeSlowly(names, { delayMs, commit }) {
      const segments = await packSegments(names.map((name) => encodeHit(hit(name), 1)));
      const writing = transaction(other, async (client) => {
        await appendSegments(client, segments);
        await sleep(delayMs);
        if (!commit) throw new Error('given up');
      });
      await writing.catch((error: unknown) => {
        if (commit) throw error;
      });
    },
    async holdOpenWrite() {
      const client = new Client({ connectionString: url });
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
      await other.end();
      await drop();
    },
  };
});

describe('the partitions of a log', () => {
  it('stay as many as its first start made, so that a website stays in its own', async () => {
    const { url, drop } = await createTestDatabase();
    const first = await openIntakeLog({ databaseUrl: url, partitions: 2 });
    const before = (await first.send([hit('before')])).positions;
    await first.close();
    const second = await openIntakeLog({ databaseUrl: url, partitions: 64 });
    const after = (await second.send([hit('after')])).positions;
    expect(await second.partitions()).toBe(2);
    expect([...after.keys()]).toEqual([...before.keys()]);
    await second.close();
    await drop();
  });
});
