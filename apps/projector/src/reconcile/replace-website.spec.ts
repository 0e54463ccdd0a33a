import type { Pool, PoolClient } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { run } from '@ledgerline/platform/database/pool';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { execute, tableDdl } from '@ledgerline/platform/database/read-model-tables';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { sql } from '@ledgerline/platform/database/sql';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { replaceKept } from './repair';

const WEBSITE = 7;

describe('replacing what is kept of a website', () => {
  it('leaves none of the rows that others are merged into meanwhile', async () => {
    const target = { schema: 'kept', model: websiteRollups, isAppended: false };
    await add(pool, 'kept', [rowOf(WEBSITE, 1), rowOf(WEBSITE, 2), rowOf(WEBSITE + 1, 3)]);
    await add(repairing, 'pg_temp', [rowOf(WEBSITE, 10)]);
    await run(merging, sql`begin`);
    await run(merging, sql`delete from kept.website_rollups where number in (1, 2)`);
    await add(merging, 'kept', [rowOf(WEBSITE, 4)]);
    await run(repairing, sql`begin`);
    const replaced = replaceKept(repairing, target, WEBSITE);
    await waitUntil(
      () => run(pool, sql`select from pg_locks where not granted`),
      (waiting) => waiting.length > 0,
    );
    await run(merging, sql`commit`);
    await replaced;
    await run(repairing, sql`commit`);
    expect(await run(pool, sql`select website, number::integer from kept.website_rollups order by website`)).toEqual([
      { website: WEBSITE, number: 10 },
      { website: WEBSITE + 1, number: 3 },
    ]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let merging: PoolClient;
  let repairing: PoolClient;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 3 });
    merging = await pool.connect();
    repairing = await pool.connect();
    await execute(pool, [`create schema kept`, tableDdl('kept', websiteRollups)]);
    await execute(repairing, [tableDdl('pg_temp', websiteRollups)]);
  });
  afterAll(async () => {
    merging.release(true);
    repairing.release(true);
    await pool.end();
    await database.drop();
  });

  const rowOf = (website: number, number: number) =>
    ({
      ...Object.fromEntries(Object.keys(websiteRollups.columns).map((name) => [name, null])),
      website,
      number,
      since: 1,
      until: 1,
      size: 0,
    }) as ReadModelRow;
  const add = (on: Pool | PoolClient, schema: string, rows: readonly ReadModelRow[]) =>
    run(on, append(schema, websiteRollups, rows));
});
