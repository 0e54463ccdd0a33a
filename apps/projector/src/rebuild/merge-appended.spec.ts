import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { readStoredTables } from '@ledgerline/platform/database/table-declaration';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { traffic } from '@test/oracle/random-traffic';
import { customEvent } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { runs } from '@test/random-runs';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind } from '../runner/bound-group';
import { openLiveVersion, withVersionsLock } from '../runner/live-version';
import { createVersion } from '../runner/version-tables';
import { mergeAppended } from './merge-appended';
import { rebuild } from './rebuild';

describe('tables that were filled by appending rows', () => {
  it('are merged before they answer', async () => {
    const events = Array.from({ length: 60 }, (_, n) => customEvent('site_1', n * 40_000));
    await project(1, events);
    const rebuilt = group(new MemoryLog(events, () => 7));
    const result = await rebuild({ group: rebuilt, flip: true });
    expect(result).toMatchObject({ differences: [], flipped: true });
    expect(await appendedTables(result.version)).toBe(0);
  });

  it('equal the live ones, whatever came in which pieces before, between and after their merge', async () => {
    const sites = fc.array(traffic, { minLength: 1, maxLength: 4 });
    const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 9 });
    const property = fc.asyncProperty(sites, pieces, fc.nat(9), fc.integer(), async (all, sizes, merged, seed) => {
      const sent = all.flatMap((random, n) =>
        random.events({ websiteId: `site_${n}`, organizationId: 'org_1', zone: random.zone }),
      );
      const events = shuffle(sent, seed);
      const [live, filled] = [await create(false), await create(true)];
      await project(live, events);
      const [second, third] = [Math.floor(events.length * 0.6), Math.floor(events.length * 0.9)];
      await project(filled, events.slice(0, second), sizes);
      const builds = group().builds.filter((_, n) => n % 10 < merged);
      await mergeAppended({ ...group(), builds }, filled);
      await project(filled, events.slice(0, third), sizes);
      expect(await appendedTables(filled)).toBeGreaterThan(0);
      await mergeAppended(group(), filled);
      expect(await appendedTables(filled)).toBe(0);
      await project(filled, events, sizes);
      expect(await compareVersions(pool, group(), live, filled)).toEqual([]);
    });
    await fc.assert(property, { seed: 53, numRuns: runs(4) });
  }, 120_000);

  it('do not get a batch that was computed before they were merged', async () => {
    const version = await create(true);
    const events = Array.from({ length: 20 }, (_, n) => customEvent('site_1', n * 86_400));
    const runner = group(new MemoryLog(events)).runner({ partition: 0, batch: 10, version });
    expect(await runner.step()).toBe('moved'); // and the next batch is computed
    await mergeAppended(group(), version);
    expect(await runner.step()).toBe('outrun');
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
    const live = await create(false);
    await project(live, events);
    expect(await compareVersions(pool, group(), live, version)).toEqual([]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let latest = 10; // a rebuild makes the next version of the live one
  const group = (log = new MemoryLog()) => bind(new WebsitesGroup(pool), log, pool);

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    await openLiveVersion(pool, group(), new MemoryLog());
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function create(isFilled: boolean): Promise<number> {
    const version = ++latest;
    const { appending, builds } = group();
    const appended = isFilled ? appending?.models : [];
    await withVersionsLock(pool, (client) =>
      createVersion(client, group(), version, new MemoryLog(), builds, appended),
    );
    return version;
  }

  async function project(
    version: number,
    sent: readonly WebsiteObservedEvent[],
    sizes: readonly number[] = [Infinity],
  ) {
    let at = 0;
    const log = new MemoryLog(sent, () => sizes[at++ % sizes.length]!);
    const runner = group(log).runner({ partition: 0, batch: 1000, version });
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
  }

  async function appendedTables(version: number): Promise<number> {
    const stored = await readStoredTables(pool, 'websites');
    return stored.filter((table) => table.version === version && table.isAppended).length;
  }
});

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, at) => ({ item, key: Math.sin(seed + at * 7919) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
