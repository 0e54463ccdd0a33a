import { silenceable } from '../../../../test/postgres/silenceable';
import { createTestDatabase, type TestDatabase } from '../../../../test/postgres/test-database';
import { dataSourceOptions } from './data-source';
import { openPool, run, transaction } from './pool';
import { sql } from './sql';
import { isUnavailable } from './unavailable';

describe('a pool', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('gives up on a server that has fallen silent, and goes on when it speaks again', async () => {
    const server = new URL(database.url);
    const proxy = await silenceable(Number(server.port));
    const url = Object.assign(server, { host: `127.0.0.1:${proxy.port}` }).href;
    const pool = openPool({ url, name: 'spec', max: 1, statementTimeoutMs: 50 });
    await run(pool, sql`select 1`);
    proxy.silence(true);
    const failure = await transaction(pool, (client) => run(client, sql`select 1`)).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    proxy.silence(false);
    expect(await run(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await pool.end();
    proxy.close();
  });

  it('of entities waits no longer than the server would', () => {
    const { extra } = dataSourceOptions({ url: 'postgres://x/y', name: 'spec', max: 1, entities: [] });
    expect(extra.query_timeout).toBeGreaterThan(extra.statement_timeout);
  });
});
