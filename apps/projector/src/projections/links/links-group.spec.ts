import fc from 'fast-check';
import type { Pool } from 'pg';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import { PART_SEPARATOR } from '@ledgerline/contracts/read-models/dictionary';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { linkClick } from '@test/events/observed-events';
import { clicks } from '@test/oracle/random-clicks';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../../open-pool';
import { bind } from '../../runner/bound-group';
import { withVersionsLock } from '../../versions/change-layout';
import { openLiveVersion } from '../../versions/live-version';
import { createVersion } from '../../versions/version-tables';
import { LINK_PROJECTIONS, linksGroup } from './links-group';

describe('the projections of a link', () => {
  it('say of a click what they are named after', () => {
    const at = Date.parse('2026-05-04T10:22:00Z');
    const rows = LINK_PROJECTIONS.map((each) => each.rowsOf({ ...linkClick('link_1', 0), at })[0]);
    const key = { link_id: 'link_1', span: 1, start_15min: Date.parse('2026-05-04T10:15:00Z'), clicks: 1 };
    const place = `DE${PART_SEPARATOR}Berlin`;
    expect(rows).toMatchObject([
      key,
      { ...key, value: 'google.com' },
      { ...key, value: 'DE' },
      { ...key, value: place },
      { ...key, value: place },
      { ...key, value: 'desktop' },
      { ...key, value: 'Firefox' },
      {
        link_id: 'link_1',
        actor: linkClick('link_1', 0).data.visitorId,
        at,
        referrer: 'google.com',
        country: 'DE',
        city: place,
        browser_name: 'Firefox',
      },
    ]);
  });

  it('count a click in its 15-minute interval and in its day', () => {
    const at = Date.parse('2026-05-04T10:22:00Z');
    const [counts] = LINK_PROJECTIONS;
    const rows = counts!.rowsOf({ ...linkClick('link_1', 0), at });
    const starts = ['2026-05-04T10:15:00Z', '2026-05-04T00:00:00Z'];
    expect(rows.map(({ start_15min }) => start_15min)).toEqual(starts.map((start) => Date.parse(start)));
    expect(rows.map(({ span }) => span)).toEqual([1, 96]);
  });

  it('hold an empty text for what is unknown', () => {
    const click = linkClick('link_1', 0);
    const nothing = { country: null, region: null, city: null, browser: null, referrer: null, visitorId: null };
    const rows = LINK_PROJECTIONS.map((each) => each.rowsOf({ ...click, data: { ...click.data, ...nothing } })[0]);
    expect(rows.slice(1, 5).map((row) => row?.value)).toEqual(['', '', '', '']);
    const id = decodeEventId(click.id).toString('hex');
    expect(rows.at(-1)).toMatchObject({ actor: id, id, referrer: '', country: '', region: '', city: '' });
  });

  it('are the same whatever the pieces, the order and repeats of clicks, and however often a batch is delivered', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    const again = fc.array(fc.nat(39), { maxLength: 8 });
    const property = fc.asyncProperty(clicks, pieces, again, async (random, sizes, places) => {
      const sent = random.events({ linkId: `link_${++link}`, organizationId: 'org_1' });
      const events = [...sent, ...places.flatMap((place) => sent[place] ?? [])];
      await project(2, events, () => Infinity, 1);
      const [counted] = await run<{ clicks: number }>(
        pool,
        sql`select coalesce(sum(clicks), 0)::integer as clicks from links_v2.link_clicks_15min
          where link_id = ${`link_${link}`} and span = 1`,
      );
      expect(counted?.clicks).toBe(sent.length);
      let at = 0;
      await project(3, events.toReversed(), () => sizes[at++ % sizes.length]!, 2);
      expect(await compareVersions(pool, group(new MemoryLog()), 2, 3)).toEqual([]);
    });
    await fc.assert(property, { seed: 48, numRuns: 25 });
  }, 60_000);

  let database: TestDatabase;
  let pool: Pool;
  let link = 0;
  const group = (log: MemoryLog) => bind(linksGroup(), log, pool);

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const log = new MemoryLog();
    await openLiveVersion(pool, group(log), log);
    for (const version of [2, 3]) {
      await withVersionsLock(pool, (client) => createVersion(client, group(log), version, log));
    }
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function project(version: number, events: readonly LinkClicked[], piece: () => number, processes: number) {
    const log = new MemoryLog(events, piece);
    await run(pool, sql`update projection_checkpoints set cursor = '' where version = ${version}`);
    const runners = Array.from({ length: processes }, () => {
      return group(log).runner({ partition: 0, batch: 1000, version });
    });
    const stepAll = async () => {
      const steps: string[] = [];
      for (const runner of runners) steps.push(await runner.step());
      return steps;
    };
    await waitUntil(stepAll, (steps) => steps.every((step) => step === 'idle'));
  }
});
