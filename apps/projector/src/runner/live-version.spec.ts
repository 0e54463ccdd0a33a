import { key, readModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { linkClick } from '@test/events/observed-events';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { bind, type BoundGroup } from './bound-group';
import { openLiveVersion, withVersionsLock, writableVersion } from './live-version';
import { createIndexes, createVersion } from './version-tables';

describe('the tables of another program', () => {
  it('are not written by one that ran before they answered', async () => {
    const runner = former.runner({ partition: 0, batch: 100, version: () => writableVersion(pool, former) });
    expect(await openLiveVersion(pool, former, log)).toBe(1);
    expect(await runner.step()).toBe('idle');
    expect(await openLiveVersion(pool, group, log)).toBe(2);
    log.add(linkClick('link_1', 2));
    expect(await runner.step()).toBe('outrun');
    await expect(runner.step()).rejects.toThrow(
      'Another program made the tables of links version 2; this one no longer writes.',
    );
    await expect(runner.stop('it is another')).rejects.toThrow(RangeError);
    expect(await checkpoint(2)).toEqual({ cursor: '', stopped: null });
  });

  it('are those that mean something else, too', async () => {
    expect(await openLiveVersion(pool, group, log)).toBe(1);
    expect(await openLiveVersion(pool, { ...group, schemaVersion: [2] }, log)).toBe(2);
  });

  it('are none that were made before schemas said whose they are', async () => {
    expect(await openLiveVersion(pool, group, log)).toBe(1);
    await run(pool, { text: 'comment on schema links_v1 is null', values: [] });
    expect(await openLiveVersion(pool, group, log)).toBe(1);
    expect(await writableVersion(pool, group)).toBe(1);
  });

  it('are left to it, which may come back to them', async () => {
    await openLiveVersion(pool, former, log);
    await project(former, 1);
    expect(await openLiveVersion(pool, group, log)).toBe(2);
    expect(await openLiveVersion(pool, former, log)).toBe(1);
    expect(await checkpoint(1)).toMatchObject({ cursor: '0' });
    expect(await openLiveVersion(pool, group, log)).toBe(2);
  });

  it('are followed by those that a rebuild is filling already', async () => {
    await openLiveVersion(pool, former, log);
    await withVersionsLock(pool, (client) => createVersion(client, group, 2, log));
    await project(group, 2);
    expect(await openLiveVersion(pool, group, log)).toBe(2);
    expect(await checkpoint(2)).toMatchObject({ cursor: '0' });
  });

  it('are not followed by those of a log that was replaced, nor by none at all', async () => {
    await openLiveVersion(pool, group, log);
    await openLiveVersion(pool, former, log);
    log.currentEpoch = 'another';
    expect(await openLiveVersion(pool, group, log)).toBe(3);
    await run(pool, { text: 'drop schema links_v3 cascade', values: [] });
    expect(await openLiveVersion(pool, group, log)).toBe(4);
  });

  it('have no index yet when they answer, and get theirs on a connection without a short timeout', async () => {
    const version = await openLiveVersion(pool, group, log);
    expect(await indexes()).toEqual([]);
    await createIndexes(pool, group, version);
    expect(await indexes()).toEqual(['btree (link_id, at)']);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let group: BoundGroup;
  let former: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    log = new MemoryLog([linkClick('link_1', 1)]);
    group = bind(linksGroup(), log, pool);
    former = bind(formerLinks(), log, pool);
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function project(by: BoundGroup, version: number): Promise<void> {
    const runner = by.runner({ partition: 0, batch: 100, version });
    await waitUntil(
      () => runner.step(),
      (step) => step !== 'moved',
    );
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

/** The group when it had a table more. */
const formerLinks = () => {
  const links = linksGroup();
  return { ...links, builds: [...links.builds, readModel('link_formers', { link_id: key('text') })] };
};
