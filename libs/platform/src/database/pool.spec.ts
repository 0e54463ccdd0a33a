import { proxyTo } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import type { Pool, PoolClient } from 'pg';
import { openPool, readTransaction, run, transaction, type Queryable } from './pool';
import { sql } from './sql';
import { isUnavailable } from './database-errors';

describe('a pool', () => {
  let database: TestDatabase;
  let pool: Pool;
  let other: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'spec', max: 1, pipeline: true });
    other = openPool({ url: database.url, name: 'spec', max: 1 });
  });

  afterAll(async () => {
    await Promise.all([pool.end(), other.end()]);
    await database.drop();
  });

  it('times out when the server does not respond, and works when it responds again', async () => {
    const server = new URL(database.url);
    const proxy = await proxyTo(server.hostname, Number(server.port));
    const url = Object.assign(server, { host: `127.0.0.1:${proxy.port}` }).href;
    for (const pipeline of [false, true]) {
      const far = openPool({ url, name: 'spec', max: 1, statementTimeoutMs: 1_000, pipeline });
      await run(far, sql`select 1`);
      proxy.swallow();
      const work = (client: PoolClient) => run(client, sql`select 1`);
      const asked = pipeline ? readTransaction(far, SNAPSHOT, work) : transaction(far, work);
      expect(isUnavailable(await asked.catch((error: unknown) => error))).toBe(true);
      proxy.cut();
      await proxy.mend();
      expect(await run(far, sql`select 1 as one`)).toEqual([{ one: 1 }]);
      await far.end();
    }
    await proxy.close();
  });

  it('reads from one moment, whatever is written meanwhile', async () => {
    await run(pool, sql`create table things (name text)`);
    const counts = await readTransaction(pool, SNAPSHOT, async (on) => {
      const before = await count(on);
      await run(other, sql`insert into things values ('new')`);
      return [before, await count(on)];
    });
    expect(counts).toEqual([0, 0]);
    expect(await count(pool)).toBe(1);
  });

  it('ends what it began, also when reading fails', async () => {
    for (const end of ['commit', 'rollback']) {
      const work = async (on: PoolClient) => {
        await run(on, sql`set local application_name = 'inside'`);
        if (end === 'rollback') await run(on, sql`select 1 / 0`);
      };
      await readTransaction(pool, SNAPSHOT, work).catch(() => undefined);
      expect(await run(pool, sql`select current_setting('application_name') as name`)).toEqual([
        { name: 'ledgerline-spec' },
      ]);
    }
  });

  it('reads nothing where no transaction began', async () => {
    for (const asked of [sql`select 1`, sql`select 1 / 0`]) {
      const reads = readTransaction(pool, 'begin nonsense', (on) => run(on, asked));
      await expect(reads).rejects.toThrow('nonsense');
    }
    expect(await run(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

const SNAPSHOT = 'begin isolation level repeatable read read only';

const count = async (on: Queryable): Promise<number | undefined> => {
  const [row] = await run<{ count: number }>(on, sql`select count(*)::int from things`);
  return row?.count;
};
