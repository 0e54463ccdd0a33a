import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { linkClick } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { linksWithOtherState, upgradedLinks } from '@test/projector/upgraded-links';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from './live-version';
import { createMissingIndexes } from './version-tables';

describe('a program that starts', () => {
  it('makes tables of other declarations pending, and freezes those that it cannot write', async () => {
    await openLiveVersion(pool, group, log);
    expect(await openLiveVersion(pool, upgraded, log)).toBe(1);
    expect(await places()).toEqual({
      link_cities: { pending: 2 },
      link_devices: { pending: 2, isFrozen: true },
      link_news: { pending: 2 },
    });
    await project(upgraded);
    expect(await rows(1)).toEqual({ link_cities: 1, link_devices: 0, link_browsers: 1 });
  });

  it('leaves tables alone that the program before it still writes, until they are of another one', async () => {
    await openLiveVersion(pool, group, log);
    const before = group.runner({ partition: 0, batch: 100, version: 'live' });
    expect(await before.step()).toBe('idle');
    await openLiveVersion(pool, upgraded, log);
    log.add(linkClick('link_1', 2));
    expect(await before.step()).toBe('outrun');
    expect(await before.step()).toBe('idle');
    expect(await rows(1)).toEqual({ link_cities: 1, link_devices: 1, link_browsers: 1 });
    await run(
      pool,
      sql`update projection_groups set tables = '{"link_news": {"version": 2}}', layout = gen_random_uuid()`,
    );
    log.add(linkClick('link_1', 3));
    expect(await before.step()).toBe('outrun');
    await expect(before.step()).rejects.toThrow(
      'Another program made tables of links version 1; this one does not write them.',
    );
    await expect(before.stop('it is another')).rejects.toThrow('Another program');
    expect(await checkpoint(1)).toEqual({ cursor: '1', stopped: null });
  });

  it('begins all tables of a group anew when one changes that computing reads, and leaves the live ones as they are', async () => {
    await openLiveVersion(pool, group, log);
    const other = bind(linksWithOtherState(), log, pool);
    expect(await openLiveVersion(pool, other, log)).toBe(1);
    expect(new Set(Object.values(await places()).map(({ pending }) => pending))).toEqual(new Set([2]));
    await expect(project(other)).rejects.toThrow('Another program made tables of links version 1');
    await project(group);
    expect(await checkpoint(1)).toMatchObject({ cursor: '0' });
  });

  it('goes on with what it had begun, but not for another log', async () => {
    await openLiveVersion(pool, group, log);
    await openLiveVersion(pool, upgraded, log);
    expect(await openLiveVersion(pool, group, log)).toBe(1);
    await openLiveVersion(pool, upgraded, log);
    expect(await places()).toMatchObject({ link_news: { pending: 2 } });
    log.currentEpoch = 'another';
    await openLiveVersion(pool, upgraded, log);
    expect(await places()).toMatchObject({ link_news: { pending: 4 } });
  });

  it('fills tables anew that the program before it did not write', async () => {
    await openLiveVersion(pool, upgraded, log);
    await openLiveVersion(pool, group, log);
    expect(await places()).toMatchObject({
      link_news: { isFrozen: true },
      link_cities: { pending: 2, isFrozen: true },
    });
    await openLiveVersion(pool, upgraded, log);
    expect(await places()).toMatchObject({ link_news: { pending: 3, isFrozen: true } });
  });

  it('gives tables their indexes on a connection without a short timeout', async () => {
    await openLiveVersion(pool, group, log);
    expect(await indexes()).toEqual([]);
    await createMissingIndexes(pool, group);
    expect(await indexes()).toEqual(['btree (link_id, at)']);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let group: BoundGroup;
  let upgraded: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    log = new MemoryLog([linkClick('link_1', 1)]);
    group = bind(linksGroup(), log, pool);
    upgraded = bind(upgradedLinks(), log, pool);
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const project = (by: BoundGroup) => by.runner({ partition: 0, batch: 100, version: 'live' }).step();
  const places = async () => (await readLayout(pool, 'links'))!.tables;

  async function rows(version: number) {
    const counts = ['link_cities', 'link_devices', 'link_browsers'].map(
      (table) => `(select count(*)::integer from links_v${version}.${table} where span = 1) as ${table}`,
    );
    return (await run(pool, { text: `select ${counts.join(', ')}`, values: [] }))[0];
  }

  const indexes = async () => {
    const found = await run<{ is: string }>(
      pool,
      sql`select substring(indexdef from 'btree.*') as is from pg_indexes
        where schemaname = 'links_v1' and indexname not like '%_pkey'`,
    );
    return found.map(({ is }) => is);
  };

  const checkpoint = async (version: number) =>
    (await run(pool, sql`select cursor, stopped from projection_checkpoints where version = ${version}`))[0];
});
