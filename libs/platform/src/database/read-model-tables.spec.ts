import type { Pool } from 'pg';
import { key, last, readModel } from '@ledgerline/contracts/read-models/read-model';
import { createReadModels } from '@test/postgres/read-model-tables';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openPool, run } from './pool';
import { keepUp } from './read-model-tables';
import { sql } from './sql';

describe('tables of an earlier program', () => {
  it('get the indexes and the storage of this one, and lose those they had', async () => {
    await createReadModels(pool, 'some_v1', [readModel('visits', columns, [{ on: ['id', 'day'] }])]);
    await run(pool, { text: 'create table some_v1.own (id integer unique)', values: [] });
    for (const again of [1, 2]) {
      await keepUp(pool, 'some_v1', [readModel('visits', columns, [{ on: ['day', 'kind'] }])]);
      expect({ again, ...(await state()) }).toEqual({
        again,
        indexes: ['btree (day, kind)', 'btree (id)', 'btree (id)'],
        storage: ['fillfactor=100'],
      });
    }
  });

  it('get another index when the same columns lie beside others', async () => {
    await keepUp(pool, 'some_v1', [readModel('visits', columns, [{ on: ['day'] }])]);
    expect(await state()).toMatchObject({ indexes: ['btree (day)', 'btree (id)', 'btree (id)'] });
  });

  const state = async () => {
    const indexes = await run<{ is: string }>(
      pool,
      sql`select substring(indexdef from 'btree.*') as is from pg_indexes where schemaname = 'some_v1' order by 1`,
    );
    const [table] = await run<{ storage: string[] }>(
      pool,
      sql`select reloptions as storage from pg_class where oid = 'some_v1.visits'::regclass`,
    );
    return { indexes: indexes.map(({ is }) => is), storage: table?.storage };
  };

  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    pool = openPool({ url: database.url, name: 'spec', max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
});

const columns = { id: key('integer'), day: last('date'), kind: last('integer') };
