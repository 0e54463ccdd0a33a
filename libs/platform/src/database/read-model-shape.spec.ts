import { key, last, readModel, sum } from '@ledgerline/contracts/read-models/read-model';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openPool, run } from './pool';
import { createReadModels } from './read-model-ddl';
import { hasShape } from './read-model-shape';

describe('the tables of a schema', () => {
  it('have the shape of the models they were made for', async () => {
    expect(await hasShape(pool, 'some_v1', [places, people])).toBe(true);
  });

  it('keep it beside tables of somebody else', async () => {
    expect(await hasShape(pool, 'some_v1', [places])).toBe(true);
  });

  it('have another one with a table less, or a column, a type or a key more or less', async () => {
    expect(await hasShape(pool, 'some_v1', [places, people, readModel('more', { id: key('integer') })])).toBe(false);
    expect(await hasShape(pool, 'some_v1', [readModel('places', { ...columns, more: sum() }), people])).toBe(false);
    for (const other of [{ visits: sum('integer') }, { at: last('timestamptz') }, { day: last('date') }]) {
      expect(await hasShape(pool, 'some_v1', [readModel('places', { ...columns, ...other }), people])).toBe(false);
    }
  });

  it('keep it when an index is added', async () => {
    await run(pool, { text: 'create index on some_v1.places (day)', values: [] });
    expect(await hasShape(pool, 'some_v1', [places, people])).toBe(true);
  });

  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await createReadModels(pool, 'some_v1', [places, people]);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
});

const columns = {
  id: key('integer'),
  day: key('date'),
  visits: sum(),
  at: last('timestamptz?'),
  paths: last('integer[]'),
};
const places = readModel('places', columns);
const people = readModel('people', { id: key('uuid'), name: last('text') });
