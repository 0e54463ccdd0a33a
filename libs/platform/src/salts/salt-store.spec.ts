import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { proxyTo } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openDataSource } from '../database/data-source';
import { openPool } from '../database/pool';
import { LogUnavailable } from '../log/log-reader';
import { ImportSecret, type SaltPeriod, Salt, SaltStore, destroyExpiredSalts, periodOf } from './visitor-salts';

describe('the table of salts', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = new DataSource({ type: 'postgres', url: database.url, entities: [Salt, ImportSecret] });
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('gives all callers the same salt', async () => {
    const stores = Array.from({ length: 8 }, () => new SaltStore(source));
    const found = await Promise.all(stores.map((store) => store.obtain([offer(day), offer(tomorrow)])));
    expect(found.map((each) => each.map(({ period }) => period))).toEqual(stores.map(() => [day, tomorrow]));
    expect(new Set(found.flat().map(({ salt }) => salt.toString('hex'))).size).toBe(2);
  });

  it('tells the salts of single websites from those of the installation, without expired ones', async () => {
    const store = new SaltStore(source);
    await source.getRepository(Salt).clear();
    await store.obtain([offer(day), offer(stable)]);
    const expiresAt = new Date('2026-03-13T00:00:00Z');
    const ofDay = { scope: 'site_1', period: day.name, salt: randomBytes(32), expiresAt };
    const ofAllTime = { scope: 'site_1', period: stable.name, salt: randomBytes(32), expiresAt: null };
    await source.getRepository(Salt).insert([ofDay, ofAllTime]);
    const found = await store.scopedSalts(new Date('2026-03-12T23:59:59Z'));
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([ofDay, ofAllTime]));
    expect(await store.scopedSalts(expiresAt)).toEqual([ofAllTime]);
  });

  it('has one import secret for each website', async () => {
    const store = new SaltStore(source);
    const secrets = await Promise.all([store.importSecret('site_1'), store.importSecret('site_1')]);
    expect(secrets[0]).toEqual(secrets[1]);
    expect(secrets[0]).toHaveLength(32);
    expect(await store.importSecret('site_2')).not.toEqual(secrets[0]);
  });

  it('rejects with LogUnavailable while Postgres is away', async () => {
    const { hostname, port } = new URL(database.url);
    const proxy = await proxyTo(hostname, Number(port));
    const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    const behind = await openDataSource({ url, name: 'spec', max: 1, entities: [Salt, ImportSecret] });
    const store = new SaltStore(behind);
    await store.obtain([offer(day)]);
    await proxy.close();
    await expect(store.obtain([offer(day)])).rejects.toThrow(LogUnavailable);
    await expect(store.scopedSalts(new Date())).rejects.toThrow(LogUnavailable);
    await expect(store.importSecret('site_3')).rejects.toThrow(LogUnavailable);
    await behind.destroy();
  });

  it('is rid of a salt 48 hours after its day, and of no other', async () => {
    const pool = openPool({ url: database.url, name: 'spec', max: 2 });
    const store = new SaltStore(source);
    await source.getRepository(Salt).clear();
    await store.obtain([day, tomorrow, periodOf(noon, 'monthly'), stable].map(offer));
    expect(await destroyExpiredSalts(pool, new Date('2026-03-12T23:59:59Z'))).toBe(0);
    expect(await destroyExpiredSalts(pool, new Date('2026-03-13T00:00:00Z'))).toBe(1);
    expect(await destroyExpiredSalts(pool, new Date('2026-04-03T00:00:00Z'))).toBe(2);
    expect((await source.getRepository(Salt).find()).map(({ period }) => period)).toEqual(['stable']);
    await pool.end();
  });
});

const noon = Date.parse('2026-03-10T12:00:00Z');
const day = periodOf(noon, 'daily');
const tomorrow = periodOf(day.end, 'daily');
const stable = periodOf(noon, 'stable');
const offer = (period: SaltPeriod) => ({ period, salt: randomBytes(32) });
