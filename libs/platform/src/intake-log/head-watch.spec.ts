import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/postgres/test-database';
import { openPool, run } from '../database/pool';
import { sql } from '../database/sql';
import { HeadWatch } from './head-watch';

describe('watching the heads', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('ends a connection on which it could not listen', async () => {
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    const nowhere = openPool({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'spec', max: 1 });
    const watch = new HeadWatch(nowhere, database.url);
    const refusal = jest.spyOn(Client.prototype, 'query').mockImplementation(() => {
      throw new Error('refused');
    });
    const asked = () => refusal.mock.calls.some(([text]) => (text as unknown) === 'listen intake_log');
    while (!asked()) await watch.wait(0, -1, { timeoutMs: 20 });
    refusal.mockRestore();
    const listening = sql`select from pg_stat_activity
      where datname = current_database() and application_name = 'ledgerline-intake-listen'`;
    while ((await run(pool, listening)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await watch.close();
    await Promise.all([pool.end(), nowhere.end()]);
  });
});
