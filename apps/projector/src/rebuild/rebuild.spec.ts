import type { Pool } from 'pg';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { sql, textHash } from '@ledgerline/platform/database/sql';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { customEvent, linkClick } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { linksWithOtherState } from '@test/projector/upgraded-links';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { readCursors } from '../runner/checkpoint';
import { countDays } from '../sealing/seal-days';
import { liveVersion, openLiveVersion } from '../versions/live-version';
import { RebuiltElsewhere } from './catch-up';
import { dropPrevious, keepVersions, rollBackTables } from './keep-versions';
import { rebuild } from './rebuild';

describe('a rebuild', () => {
  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let group: BoundGroup;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
    log = new MemoryLog();
    group = bind(linksGroup(), log, pool);
    await openLiveVersion(pool, group, log);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('holds the version that answers for a while where that is always ahead by a batch', async () => {
    const before = await liveVersion(pool, group);
    const busy = whenCaughtUp(() => arrive(10));
    expect(await rebuild({ group: busy, flip: true, batch: 10 })).toMatchObject({ differences: [], flipped: true });
    expect(await rollBackTables(group)).toBe(before);
    await dropPrevious(group);
  });

  it('lets the projector wait for less than a batch, however much is written while it catches up', async () => {
    await arrive(1_000);
    const late = [300, 150, 30];
    const busy = whenCaughtUp(async () => arrive(late.shift() ?? 0));
    const { heldUp, differences, flipped } = await rebuild({ group: busy, flip: true, batch: 100 });
    expect({ differences, flipped, late }).toEqual({ differences: [], flipped: true, late: [] });
    expect(heldUp).toBe(30);
  });

  it('is undone by a rollback, until what answered before is dropped', async () => {
    const before = await liveVersion(pool, group);
    const { version } = await rebuild({ group, flip: true });
    await arrive(5, 'live');
    expect([await rollBackTables(group), await liveVersion(pool, group)]).toEqual([before, before]);
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] }); // with what arrived meanwhile
    const dropped = await dropPrevious(group);
    expect(dropped).toContainEqual({ table: `links_v${version}.link_clicks`, bytes: expect.any(Number) as number });
    expect(new Set(dropped.map(({ table }) => table.split('.')[0]))).toEqual(new Set([`links_v${version}`]));
    expect(await dropPrevious(group)).toEqual([]);
    const schemas = await run(pool, sql`select from pg_namespace where nspname = ${`links_v${version}`}`);
    expect(schemas).toEqual([]);
    await expect(rollBackTables(group)).rejects.toThrow('Nothing is kept of links from before its last rebuild.');
  });

  it('writes what answered before for a while; a rollback brings it up after that', async () => {
    const { version: before } = (await readLayout(pool, 'links'))!;
    await rebuild({ group, flip: true, keepMs: 0 });
    await arrive(5, 'live');
    const stopping = new AbortController();
    const reads = jest.spyOn(pool, 'query');
    const logger = createLogger('projector', 'silent');
    const keeping = keepVersions({ group, logger, signal: stopping.signal, everyMs: 10 });
    const passes = () =>
      reads.mock.calls.filter(([query]) => JSON.stringify(query).includes('live_version as version'));
    await waitUntil(() => passes().length > 4);
    const events = async (version: number) => (await readCursors(pool, { group: 'links', version })).get(0)?.cursor;
    expect(await events(before)).not.toBe(await events(await liveVersion(pool, group)));
    await run(
      pool,
      sql`update projection_groups set previous = previous || '{"writtenUntil": "9999-01-01T00:00:00Z"}'
      where name = 'links'`,
    );
    await waitUntil(async () => (await events(before)) === (await events(await liveVersion(pool, group))));
    stopping.abort();
    await keeping;
    reads.mockRestore();
    await arrive(5, 'live');
    expect(await rollBackTables(group)).toBe(before);
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
    await dropPrevious(group);
  });

  it.each([
    ['a rebuild whose old tables were dropped', () => dropPrevious(group)],
    ['two rebuilds', () => rebuild({ group, flip: true })],
  ])('leaves an idle projector that writes the new tables at its next step, after %s', async (_, then) => {
    const live = group.liveRunners({ batch: 100, signal: new AbortController().signal })(0);
    await waitUntil(
      () => live.step(),
      (step) => step === 'idle',
    );
    await rebuild({ group, flip: true });
    await then();
    log.add(...Array.from({ length: 3 }, (_click, n) => linkClick('link_1', log.hits.length + n)));
    expect(await live.stepAtHead()).toBe('idle');
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
  });

  it('is not disturbed by dropping what is kept from before', async () => {
    const refused: unknown[] = [];
    const dropped = whenCaughtUp(() => dropPrevious(group).catch((error: unknown) => void refused.push(error)));
    expect(await rebuild({ group: dropped, flip: false })).toMatchObject({ differences: [] });
    expect(refused[0]).toBeInstanceOf(RebuiltElsewhere);
  });

  it('of a pending version is refused when that answers already', async () => {
    const version = await liveVersion(pool, group);
    await expect(rebuild({ group, version, flip: true })).rejects.toThrow(RebuiltElsewhere);
    expect(await liveVersion(pool, group)).toBe(version);
  });

  it('replaces tables of another program, without comparing them', async () => {
    await rebuild({ group: bind(linksWithOtherState(), log, pool), flip: true });
    expect(await rebuild({ group, flip: true })).toMatchObject({ differences: undefined, flipped: true });
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
  });

  it('seals the days of sessions before it switches, and compares neither these nor the numbers of visitors', async () => {
    const events = new MemoryLog(Array.from({ length: 50 }, (_, n) => customEvent('site_1', n * 86_400)));
    const websites = bind(new WebsitesGroup(pool), events, pool);
    await openLiveVersion(pool, websites, events);
    const live = websites.runner({ partition: 0, batch: 10, version: 1 });
    await waitUntil(
      () => live.step(),
      (step) => step !== 'moved',
    );
    await run(pool, sql`update websites_v1.sessions set visitor_number = visitor_number + 1`);
    expect(await rebuild({ group: websites, flip: true })).toMatchObject({ differences: [], flipped: true });
    expect(await countDays(pool, 'websites_v2')).toEqual({ sealed: 50, open: 0, oldestOverMs: 0 });
    await run(pool, sql`update websites_v2.sessions set pageviews = pageviews + 1 where visitor_number = 7`);
    expect(await rebuild({ group: websites, flip: false })).toMatchObject({
      differences: [
        {
          table: 'sessions',
          onlyBefore: 1,
          onlyAfter: 1,
          rows: [{ before: { pageviews: 1 }, after: { pageviews: 0 } }],
        },
      ],
    });
  });

  it('names a text that was changed, and mends it where it is to answer; a deleted one differs', async () => {
    const named = ['a', 'b'].map((name, n) => {
      const event = customEvent('site_texts', n * 86_400);
      return { ...event, data: { ...event.data, name } };
    });
    const events = new MemoryLog(named);
    const websites = bind(new WebsitesGroup(pool), events, pool);
    await rebuild({ group: websites, flip: true, accept: true });
    await run(pool, sql`update dictionary set text = 'hacked' where text = 'a'`);
    const { differences, mended } = await rebuild({ group: websites, flip: false });
    const changed = { onlyBefore: 1, onlyAfter: 1, rows: [{ before: { text: 'hacked' }, after: { text: 'a' } }] };
    expect({ differences, mended }).toMatchObject({
      differences: [{ table: 'dictionary', ...changed }],
      mended: undefined,
    });
    expect(await texts()).toEqual(['b', 'hacked']);
    expect(await rebuild({ group: websites, flip: true })).toMatchObject({
      differences: [],
      mended: changed,
      flipped: true,
    });
    expect(await texts()).toEqual(['a', 'b']);
    expect(await rebuild({ group: websites, flip: false })).toMatchObject({ differences: [], mended: undefined });
    await run(pool, sql`update dictionary set text = 'c', hash = ${textHash('c')}::uuid where text = 'b'`);
    const { differences: replaced } = await rebuild({ group: websites, flip: false });
    expect(replaced?.map(({ table }) => table)).toContain('custom_events');
  });

  it('that mends a text makes the api forget its answers, whether or not the new tables answer', async () => {
    const websites = bind(new WebsitesGroup(pool), new MemoryLog([customEvent('site_forgotten', 1)]), pool);
    await rebuild({ group: websites, flip: true, accept: true });
    const live = await liveVersion(pool, websites);
    const revision = async () => {
      const rows = await run<{ revision: number }>(
        pool,
        sql`select parked_revision as revision from projection_checkpoints
            where projection_group = 'websites' and version = ${live}`,
      );
      return rows[0]!.revision;
    };
    const before = await revision();
    await run(pool, sql`update dictionary set text = 'hacked' where text = 'signup'`);
    await run(pool, { text: `delete from ${schemaOf('websites', live)}.custom_events`, values: [] });
    const mended = { rows: [{ before: { text: 'hacked' }, after: { text: 'signup' } }] };
    expect(await rebuild({ group: websites, flip: true })).toMatchObject({ flipped: false, mended });
    expect(await revision()).toBeGreaterThan(before);
  });

  const texts = async () =>
    (
      await run<{ text: string }>(pool, sql`select text from dictionary where text in ('a', 'b', 'hacked') order by 1`)
    ).map(({ text }) => text);

  /** Clicks that the version that answers has remembered at once. */
  async function arrive(count: number, version: number | 'live' = 1): Promise<void> {
    log.add(...Array.from({ length: count }, (_, n) => linkClick('link_1', log.hits.length + n)));
    if (count === 0) return;
    const live = group.runner({ partition: 0, batch: 10_000, version });
    await waitUntil(
      () => live.step(),
      (step) => step !== 'moved',
    );
  }

  /** The group, at whose log something happens whenever a new version has come as far as it was told. */
  const whenCaughtUp = (happens: () => Promise<unknown>): BoundGroup => ({
    ...group,
    runner: (options) => {
      const runner = group.runner(options);
      const step = async () => {
        const done = await runner.step();
        if (done === 'idle') await happens();
        return done;
      };
      return { step, cursor: undefined, stop: (why) => runner.stop(why) };
    },
  });
});
