import type { ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import type { Pool } from 'pg';
import { linkClick, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import { alone, rebuild } from '../rebuild/rebuild';
import { TablesRevised } from '../reconcile/findings';
import { openLivePartition } from '../reconcile/log-part';
import { repairSubject } from '../reconcile/repair';
import { reconcilePartition, repair } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { eraseVisits } from './erase-visits';

const START = Date.parse('2026-05-04T10:00:00Z');
const MINUTE = 60_000;
const [ANN, BOB] = ['a'.repeat(32), 'b'.repeat(32)];
const [PROFILE, SESSION] = ['c'.repeat(32), 'd'.repeat(32)];

describe('erasing visits', () => {
  it('takes out the hits of visitors that were identified as the profile until then, and no others', async () => {
    log.add(view(ANN, 0), view(BOB, 1), identified(ANN, 2, 'e'.repeat(32)), identified(ANN, 3), view(ANN, 4));
    log.add(view(null, 5, { sessionId: SESSION }), identified(null, 6, PROFILE, SESSION), view(ANN, 8));
    await project(websites);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB, null]);
    expect(await eraseVisits(websites, [erasure(7)])).toHaveLength(1);
    log.add(view(ANN, 9), view(ANN, 10));
    await project(websites);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB]);
    expect(await eraseVisits(websites, [erasure(7)])).toEqual([]);
    log.currentEpoch = 'another log';
    await run(pool, sql`update projection_checkpoints set epoch = 'another log'`);
    expect(await eraseVisits(websites, [erasure(7)])).toHaveLength(1);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB]);
  });

  it('leaves out what is not projected yet, and what waits for a retry', async () => {
    log.add(view(ANN, 0), view(BOB, 1), view(ANN, 2), identified(ANN, 3));
    await run(
      pool,
      sql`insert into parked_events (projection_group, version, partition, epoch, tries, cursor, after, event_id,
        event_type, subject, order_key, error) values ('websites', 1, 0, 'memory', 1, '0', '', 'e', 'PageViewed', 'site_1', 'k', 'x')`,
    );
    await eraseVisits(websites, [erasure(4)]);
    await project(websites);
    expect(await viewers()).toEqual([BOB]);
    expect(await run(pool, sql`select from parked_events`)).toEqual([]);
  });

  it('takes out the clicks on short links that led to the visits', async () => {
    const clicks = [1, 2, 3].map((n) => linkClick('link_1', n));
    const led = (n: number) => ({ click: { id: clicks[n]!.id, linkId: 'link_1' } });
    log.add(...clicks, view(ANN, 1, led(0)), view(BOB, 2, led(1)), identified(ANN, 3));
    await project(links);
    expect(await clicksLeft()).toBe(3);
    await eraseVisits(links, [erasure(4)]);
    expect(await clicksLeft()).toBe(2);
  });

  it('takes out what comparing has found, and nothing is noted that was read before', async () => {
    const click = linkClick('link_1', 1);
    log.add(click, linkClick('link_1', 2));
    log.add(view(ANN, 1, { click: { id: click.id, linkId: 'link_1' } }), view(BOB, 2), identified(ANN, 3));
    for (const group of [websites, links]) await project(group);
    await run(pool, sql`delete from links_v1.link_clicks`);
    await reconcile(links);
    await repair(links, 0, { subject: 'link_1', days: [] });
    await run(pool, sql`delete from links_v1.link_clicks`);
    await reconcile(links);
    expect(await rowsFound()).toContain('google');
    const before = await openLivePartition(links, 0);
    await expect(reconcile(links, () => eraseVisits(links, [erasure(4)]))).rejects.toThrow(TablesRevised);
    expect(await rowsFound()).toBe('[]');
    await expect(repairSubject(links, before, { subject: 'link_1', days: [] })).rejects.toThrow(TablesRevised);
    expect(await clicksLeft()).toBe(1);
    await reconcile(links);
    await reconcile(links, () => Promise.resolve(), true);
    expect(await rowsFound()).toBe('[]');
  });

  it('leaves nothing to be found in websites by a comparison that goes on', async () => {
    log.add(view(BOB, 1), view(ANN, 24 * 60), identified(ANN, 24 * 60 + 1));
    await project(websites);
    const goOn = () => reconcile(websites, () => Promise.resolve(), true);
    await goOn();
    await eraseVisits(websites, [erasure(24 * 60 + 2)]);
    await goOn();
    await goOn();
    expect(await rowsFound()).toBe('[]');
    const counted = sql`select counts from reconciled_days where day > '1970-01-01' order by day`;
    expect(await run(pool, counted)).toEqual([{ counts: { sessions: [1, expect.any(Number)] } }, { counts: {} }]);
  });

  it('drops tables that answered before, as a rollback would bring the visits back', async () => {
    log.add(view(ANN, 0), view(BOB, 1), identified(ANN, 2));
    await project(websites);
    await expect(rebuild({ group: websites, flip: true })).resolves.toMatchObject({ flipped: true });
    expect((await readLayout(pool, 'websites'))?.previous).toMatchObject({ version: 1 });
    await eraseVisits(websites, [erasure(3)]);
    expect(await readLayout(pool, 'websites')).toMatchObject({ version: 2, previous: null });
    expect(await viewers(2)).toEqual([BOB]);
  });

  it('waits while the group is being rebuilt', async () => {
    log.add(view(ANN, 0), identified(ANN, 1));
    await project(websites);
    await alone(websites, async () => {
      await expect(eraseVisits(websites, [erasure(2)])).rejects.toThrow(RebuiltElsewhere);
    });
    expect(await viewers()).toEqual([ANN]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let websites: BoundGroup;
  let links: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    log = new MemoryLog();
    [websites, links] = [bind(new WebsitesGroup(pool), log, pool), bind(linksGroup(), log, pool)];
    for (const group of [websites, links]) await createIndexes(pool, group, await openLiveVersion(pool, group, log));
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  /** @param between pieces of work, the first time */
  async function reconcile(group: BoundGroup, between = (): Promise<unknown> => Promise.resolve(), goesOn = false) {
    let rests = 0;
    const rest = async () => void (rests++ === 0 && (await between()));
    await reconcilePartition({ group, partition: 0, goesOn, rest, onFinding: () => undefined });
  }

  const rowsFound = async () =>
    JSON.stringify(await run(pool, sql`select table_name, expected, found from reconciliation_findings`));

  const project = (group: BoundGroup) => group.runner({ partition: 0, batch: 100, version: 'live' }).step();

  /** The visitors of all page views, in order. */
  async function viewers(version = 1) {
    const text = `select replace(visitor::text, '-', '') as visitor, cardinality(hit_id) as hits from websites_v${version}.sessions`;
    const rows = await run<{ visitor: string | null; hits: number }>(pool, { text, values: [] });
    return rows.flatMap(({ visitor, hits }) => Array.from({ length: hits }, () => visitor)).sort();
  }

  async function clicksLeft() {
    const [row] = await run<{ clicks: number }>(
      pool,
      sql`select sum(clicks)::integer as clicks from links_v1.link_clicks_15min where span = 96`,
    );
    return row?.clicks;
  }
});

const erasure = (minute: number) => {
  return { erasureId: `era_${minute}`, websiteId: 'site_1', profile: PROFILE, until: START + minute * MINUTE };
};

const view = (visitorId: string | null, minute: number, given: Partial<PageViewed['data']> = {}) =>
  pageView(START + minute * MINUTE, { visitorId, ...given });

const identified = (
  visitorId: string | null,
  minute: number,
  subject = PROFILE,
  sessionId: string | null = null,
): ObservedEvent => {
  const { data, ...event } = view(visitorId, minute);
  const { organizationId, websiteId, zone, identity } = data;
  const stamp = { organizationId, websiteId, zone, identity, visitorId, sessionId };
  return { ...event, type: 'VisitorIdentified', data: { ...stamp, subject, profileId: 'sealed', traits: {} } };
};
