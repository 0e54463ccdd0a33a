import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openDataSource } from '../database/data-source';
import { openPool } from '../database/pool';
import { findVisitorIds } from './find-visitor-ids';
import { ImportSecret, Salt, SaltStore, VisitorSalts, periodOf, plainHash, saltedHash } from './visitor-salts';

describe('the ids of a visitor by an anonymous id', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await openDataSource({ url: database.url, name: 'spec', max: 1, entities: [Salt, ImportSecret] });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('are those that the tracker gives in all periods of which the salt exists', async () => {
    const now = Date.now();
    const own = { scope: 'site_1', period: periodOf(now, 'monthly').name, salt: randomBytes(32), expiresAt: null };
    await source.getRepository(Salt).insert(own);
    const salts = new VisitorSalts(new SaltStore(source));
    await salts.load();
    const gone = { scope: '*', period: '2020-01-01', salt: randomBytes(32), expiresAt: new Date(now - 1) };
    await source.getRepository(Salt).insert(gone);
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    const found = await findVisitorIds(pool, { websiteId: 'site_1', identity: 'daily' }, 'anon');
    await pool.end();
    for (const identity of ['daily', 'monthly', 'stable'] as const) {
      const salt = salts.saltFor('site_1', periodOf(now, identity));
      expect(found.visitors).toContain(saltedHash(salt, 'anonymous', 'anon'));
    }
    expect(found.visitors).toContain(plainHash('anonymous', 'anon'));
    expect(found.reached).toContain(periodOf(now, 'daily').name);
    expect(found.reached.every((period) => /^20\d\d-\d\d-\d\d$/.test(period) && period !== '2020-01-01')).toBe(true);
  });
});
