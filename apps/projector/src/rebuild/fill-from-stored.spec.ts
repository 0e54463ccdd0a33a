import fc from 'fast-check';
import type { Pool } from 'pg';
import { ROLLUPS, rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { offsetOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { BEGINNING, type Cursor, type ReadOptions } from '@ledgerline/platform/log/log-reader';
import { tableVersionOf, readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { customEvent, pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { runs } from '@test/random-runs';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { repair } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { readLive } from './catch-up';
import { fillFromStored } from './fill-from-stored';
import { rebuild } from './rebuild';

const NAMES = ROLLUPS.map(({ name }) => name);

/** The table of an earlier program, which has some of the rollups. */
const formerly = (names: readonly string[]): ReadModel => ({
  ...websiteRollups,
  columns: Object.fromEntries(
    Object.entries(websiteRollups.columns).filter(([name]) => {
      return !NAMES.includes(name) || names.includes(name);
    }),
  ),
});

/** The tables of an earlier program. */
const FORMER = {
  'a table without one count': formerly(NAMES.filter((name) => name !== rollupNamed('vitals').name)),
  'a table that means something else': { ...websiteRollups, meaning: [0] },
  'no table': undefined,
};

/** A log of which it is known from where on it was read. */
class WatchedLog extends MemoryLog {
  readonly begun: number[] = [];

  override read(partition: number, after: Cursor, options: ReadOptions) {
    this.begun.push(offsetOf(after));
    return super.read(partition, after, options);
  }
}

describe('filling kept counts from what is stored', () => {
  it('gives what the whole log gives, with any counts, cuts, late events and events that arrive meanwhile', async () => {
    const cut = fc.double({ min: 0, max: 1, noNaN: true });
    const property = fc.asyncProperty(
      fc.array(traffic, { minLength: 1, maxLength: 3 }),
      fc.tuple(cut, cut),
      fc.subarray(NAMES, { maxLength: NAMES.length - 1 }),
      fc.record({ batch: fc.integer({ min: 1, max: 30 }), part: fc.integer({ min: 1, max: 5 }) }),
      async (random, cuts, names, { batch, part }) => {
        await close();
        await open();
        const log = new WatchedLog();
        const events = random.flatMap(({ zone, events: of }) => {
          const site = { websiteId: `site_${zones.size}`, organizationId: 'org_1', zone };
          zones.set(site.websiteId, zone);
          return of(site);
        });
        const late = events.filter((_, n) => n % 5 === 2);
        const all = [...events.filter((_, n) => n % 5 !== 2), ...late];
        const [until = 0, meanwhile = 0] = cuts.map((each) => Math.floor(each * all.length)).sort((a, b) => a - b);
        log.add(...all.slice(0, until));
        await start(log, formerly(names), batch);
        const group = await upgrade(log, async () => {
          log.add(...all.slice(until, meanwhile));
          await project(group, 'live', batch);
        });
        log.begun.length = 0;
        const live = await readLive(pool, group);
        const sizes = { part, threadsFrom: Infinity };
        expect(await fillFromStored({ group, version: 2, live, sizes })).toEqual(new Map([[0, 0]]));
        expect(await position(2)).toEqual([{ cursor: until === 0 ? BEGINNING : String(until - 1), events: until }]);
        log.add(...all.slice(meanwhile));
        await project(group, 2, batch);
        expect(Math.min(...log.begun)).toBe(until - 1);
        expect(await sums('websites_v2')).toEqual(await fromLog(group));
      },
    );
    await fc.assert(property, { seed: 47, numRuns: runs(15), endOnFailure: true });
  }, 300_000);

  it.each(Object.entries(FORMER))(
    'switches after an upgrade from %s, without the log from before, and goes on after a stop',
    async (_what, model) => {
      const log = new WatchedLog(some(400, 'site_1'));
      zones.set('site_1', 'Europe/Berlin');
      await start(log, model);
      const group = await upgrade(log, async () => {
        log.add(...some(20, 'site_1', 200));
        await project(group, 'live');
      });
      log.begun.length = 0;
      const stopping = new AbortController();
      const onProgress = () => stopping.abort();
      await expect(rebuild({ ...upgrading(group), onProgress, signal: stopping.signal })).rejects.toThrow(/abort/i);
      expect(await position(2)).toMatchObject([{ cursor: BEGINNING }]);
      await expect(rebuild(upgrading(group))).resolves.toMatchObject({ flipped: true });
      expect(Math.min(...log.begun)).toBe(399);
      expect(tableVersionOf((await readLayout(pool, 'websites'))!, websiteRollups.name)).toBe(2);
      log.add(...some(20, 'site_1', 100));
      await project(group, 'live');
      expect(await sums('websites_v2')).toEqual(await fromLog(group));
    },
    60_000,
  );

  it('reads the log where what answers is repaired meanwhile, or has other rows', async () => {
    const log = new WatchedLog(some(60, 'site_1'));
    zones.set('site_1', 'Europe/Berlin');
    await start(log, FORMER['a table without one count']);
    await run(pool, sql`delete from websites_v1.sessions where visitor_number < 10`);
    const group = await upgrade(log, async () => {
      expect(await repair(group, 0, { subject: 'site_1', days: [] })).not.toEqual([]);
    });
    await expect(rebuild(upgrading(group))).resolves.toMatchObject({ flipped: true, differences: [] });
    expect(Math.min(...log.begun)).toBe(-1);
    expect(await sums('websites_v2')).toEqual(await fromLog(group));
  });

  it.each(['a zone that is not known', 'an event that is parked'])('reads the log with %s', async (what) => {
    const log = new WatchedLog(some(20, 'site_1'));
    const isParked = what.endsWith('parked');
    if (isParked) zones.set('site_1', 'Europe/Berlin');
    await start(log, undefined);
    const group = await upgrade(log);
    if (isParked)
      await run(
        pool,
        sql`insert into parked_events (projection_group, version, partition, epoch, cursor, after, event_id, event_type, subject, order_key, tries)
          values ('websites', 1, 0, 'memory', '4', '3', 'x', 'x', 'x', 'x', 1)`,
      );
    expect(await fillFromStored({ group, version: 2, live: await readLive(pool, group) })).toBeUndefined();
    expect(await position(2)).toEqual([{ cursor: BEGINNING, events: 0 }]);
  });

  it('does so in threads, with more than is in memory together', async () => {
    const log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    zones.set('site_1', 'UTC');
    const events = Array.from({ length: 22_500 }, (_, n) => {
      const visitorId = `${n % 300}`.padStart(3, '0').padEnd(32, 'a');
      return pageView(START + n * 20_000, { websiteId: 'site_1', visitorId, path: `/${n % 70}` });
    });
    for (let at = 0; at < events.length; at += 2_500)
      await log.send(
        events.slice(at, at + 2_500).map((event) => ({ event, subject: 'site_1', dedupe: 'never' as const })),
      );
    await start(log, undefined, 5_000);
    const group = await upgrade(log);
    const live = await readLive(pool, group);
    const stages: string[] = [];
    const onProgress = ({ stage, done }: { stage: string; done: number }) => void stages.push(`${stage} ${done}`);
    await fillFromStored({ group, version: 2, live, onProgress, sizes: { part: 400, threadsFrom: 1 } });
    expect(stages.slice(-2)).toEqual(['writing 22500', 'indexing 0']);
    expect(await sums('websites_v2')).toEqual(await fromLog(group));
    await log.close();
  }, 120_000);

  const START = Date.parse('2026-03-01T00:00:00Z');
  const zones = new Map<string, string>();
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(open);
  afterEach(close);

  async function open() {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
    zones.clear();
  }

  async function close() {
    await pool.end();
    await database.drop();
  }

  const some = (count: number, website: string, from = 0) =>
    Array.from({ length: count }, (_, n) => customEvent(website, from + n * 7));

  type Log = MemoryLog | Awaited<ReturnType<typeof openIntakeLog>>;

  const groupOf = (log: Log, model: ReadModel | undefined, meanwhile?: () => Promise<void>): BoundGroup => {
    const group = new WebsitesGroup(pool);
    const builds = group.builds.flatMap((each) => (each.name === websiteRollups.name ? (model ?? []) : each));
    const zonesOf = async () => {
      await meanwhile?.();
      return zones;
    };
    return bind(Object.assign(group, { builds }), log, pool, { logUrl: database.url, zones: zonesOf });
  };

  /** An earlier program projects the log. */
  async function start(log: Log, model: ReadModel | undefined, batch = 100) {
    const former = groupOf(log, model);
    await openLiveVersion(pool, former, log);
    await project(former, 'live', batch);
  }

  /** This program makes kept counts pending; something happens once while they are filled. */
  async function upgrade(log: Log, happens?: () => Promise<void>): Promise<BoundGroup> {
    let waiting = happens;
    const group = groupOf(log, websiteRollups, async () => {
      const now = waiting;
      waiting = undefined;
      await now?.();
    });
    await openLiveVersion(pool, group, log);
    expect((await readLayout(pool, 'websites'))?.tables).toMatchObject({ website_rollups: { pending: 2 } });
    return group;
  }

  const upgrading = (group: BoundGroup) => ({ group, tables: [websiteRollups], version: 2, flip: true });

  async function project(group: BoundGroup, version: number | 'live', batch = 100) {
    const runner = group.runner({ partition: 0, batch, version });
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
  }

  const position = (version: number) =>
    run(
      pool,
      sql`select cursor, events::integer as events from projection_checkpoints where version = ${version} order by partition`,
    );

  const sums = async (schema: string) => keptSums(await readKept(pool, schema));

  /** Returns what the batches of the whole log give. */
  async function fromLog(group: BoundGroup) {
    await withVersionsLock(pool, (client) => createVersion(client, group, 3, group.log));
    await project(group, 3, 5_000);
    return sums('websites_v3');
  }
});
