import type { Pool, PoolClient } from 'pg';
import { proxyTo } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { isUnavailable } from './database-errors';
import { openPool, pipelinedTransaction, type Queryable, readTransaction, run, runPrepared, transaction } from './pool';
import { sql } from './sql';

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

  it('hands over the failure of work that fails before its transaction has begun', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const failing = readTransaction(pool, SNAPSHOT, () => Promise.reject(new Error('gone')));
    await expect(failing).rejects.toThrow('gone');
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
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

  it('commits nothing where the driver refuses one of the statements', async () => {
    await run(pool, sql`create table rows (name text)`);
    await runPrepared(pool, 'add', sql`insert into rows values (${'first'})`);
    const refused = {
      'of a name that another one has': (on: PoolClient) => runPrepared(on, 'add', sql`select ${1}::integer`),
      'with a value that cannot be sent': (on: PoolClient) => run(on, sql`select ${{ toPostgres: fail }}`),
    };
    for (const statement of Object.values(refused)) {
      const both = (client: PoolClient) =>
        Promise.all([run(client, sql`insert into rows values ('second')`), statement(client)]);
      const written = pipelinedTransaction(pool, (client) => Promise.resolve(() => both(client)));
      await expect(written).rejects.toThrow();
      expect(await run(pool, sql`select name from rows`)).toEqual([{ name: 'first' }]);
    }
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

describe('a session', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const administrator = openPool({ url: database.url, name: 'spec', max: 1 });
    for (const [setting, value] of Object.entries(ODD))
      await administrator.query(`alter database "${name}" set ${setting} = '${value}'`);
    await administrator.end();
    pool = openPool({ url: database.url, name: 'spec', max: 1, lockTimeoutMs: 3_000, searchPath: 'auth' });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('has its limits and what the product relies on, whatever the database sets', async () => {
    const rows = await run<{ name: string; setting: string }>(
      pool,
      sql`select name, setting from pg_settings where name = any(${Object.keys(ODD)}::text[])`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      DateStyle: 'ISO, MDY',
      IntervalStyle: 'postgres',
      TimeZone: 'UTC',
      array_nulls: 'on',
      bytea_output: 'hex',
      extra_float_digits: '1',
      default_transaction_isolation: 'read committed',
      default_transaction_read_only: 'off',
      idle_session_timeout: '0',
      synchronous_commit: 'on',
      statement_timeout: '30000',
      lock_timeout: '3000',
      idle_in_transaction_session_timeout: '30000',
      search_path: 'auth',
    });
  });

  it('reads times, bytes and numbers as they are stored', async () => {
    const [row] = await run(
      pool,
      sql`select '2026-02-03T04:05:06.789Z'::timestamptz as at, '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2::float8 as sum`,
    );
    expect(row).toEqual({ at: new Date('2026-02-03T04:05:06.789Z'), bytes: Buffer.from([0, 255]), sum: 0.1 + 0.2 });
  });
});

/** As an administrator may have set them, for other programs. */
const ODD = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kolkata',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-1',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  idle_session_timeout: '2s',
  synchronous_commit: 'off',
  statement_timeout: '1s',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1s',
  search_path: 'nowhere',
};

function fail(): never {
  throw new TypeError('This cannot be sent.');
}
