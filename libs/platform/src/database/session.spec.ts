import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openPool, run } from './pool';
import { sql } from './sql';

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
