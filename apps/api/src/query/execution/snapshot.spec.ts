import { openPool, readTransaction, run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { AFTER_FAILURE, beginSnapshot } from './snapshot';

describe('a snapshot', () => {
  it('shows the same moment after a statement failed', async () => {
    const counts = await readTransaction(pool, beginSnapshot(30_000), async (on) => {
      const before = await count(on);
      await run(other, sql`insert into things default values`);
      await run(on, sql`select 1 / 0`).catch(() => on.query(AFTER_FAILURE));
      return [before, await count(on)];
    });
    expect(counts).toEqual([0, 0]);
    expect(await count(pool)).toBe(1);
  });

  it('ends a statement that takes longer than was left', async () => {
    const slow = readTransaction(pool, beginSnapshot(10), (on) => run(on, sql`select pg_sleep(20)`));
    await expect(slow).rejects.toMatchObject({ code: '57014' });
  });

  it('writes nothing', async () => {
    const writes = readTransaction(pool, beginSnapshot(30_000), (on) =>
      run(on, sql`insert into things default values`),
    );
    await expect(writes).rejects.toMatchObject({ code: '25006' });
  });
});

const count = async (on: Queryable): Promise<number | undefined> => {
  const [row] = await run<{ count: number }>(on, sql`select count(*)::int from things`);
  return row?.count;
};

let database: TestDatabase;
let pool: Pool;
let other: Pool;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  pool = openPool({ url: database.url, name: 'spec', max: 1, pipeline: true });
  other = openPool({ url: database.url, name: 'spec', max: 1 });
  await run(other, sql`create table things ()`);
});

afterAll(async () => {
  await Promise.all([pool.end(), other.end()]);
  await database.drop();
});
