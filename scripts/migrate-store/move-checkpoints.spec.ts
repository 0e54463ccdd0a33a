import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { moveCheckpoints } from './move-checkpoints';

const storeOf = (epoch: string) => ({ epoch: () => Promise.resolve(epoch) });
const source = storeOf('of the source');
const target = storeOf('of the target');

describe('checkpoints that move with the events', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await pool.query(
      `insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
       values ('a', 1, 0, 'of the source', '1'), ('b', 1, 0, 'of the source', '2'), ('c', 1, 0, 'of another log', '1')`,
    );
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const checkpoints = async () => {
    const all = `select concat_ws(' ', epoch, cursor) as place from projection_checkpoints order by projection_group`;
    return (await pool.query<{ place: string }>(all)).rows.map(({ place }) => place);
  };

  it('lie behind the same events of the target', async () => {
    const places = new Map(Object.entries({ 1: '7', 2: '8' }));
    await moveCheckpoints(pool, source, target, places);
    expect(await checkpoints()).toEqual(['of the target 7', 'of the target 8', 'of another log 1']);
  });

  it('stay where they are, all of them, when one advanced meanwhile', async () => {
    const moving = moveCheckpoints(pool, source, target, new Map([['1', '7']]));
    await expect(moving).rejects.toMatchObject({
      name: 'StartFailure',
      message: 'Projections advanced meanwhile; stop the product and run this again.',
    });
    expect(await checkpoints()).toEqual(['of the source 1', 'of the source 2', 'of another log 1']);
  });
});
