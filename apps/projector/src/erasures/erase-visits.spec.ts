import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { ErasureRule } from '@ledgerline/domain/erasures/erasure-rules';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { linkClick, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import { withRebuildLock, rebuild } from '../rebuild/rebuild';
import { TablesRevised } from '../reconcile/findings';
import { openLivePartition } from '../reconcile/log-part';
import { repairSubject } from '../reconcile/repair';
import { reconcilePartition, repair } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';

const START = Date.parse('2026-05-04T10:00:00Z');
const MINUTE = 60_000;
const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const PROFILE = 'c'.repeat(32);
const SESSION = 'd'.repeat(32);

describe('erasing visits', () => {
  it('takes out the hits of visitors that were identified as the profile until then, and no others', async () => {
    log.add(view(ANN, 0), view(BOB, 1), identified(ANN, 2, 'e'.repeat(32)), identified(ANN, 3), view(ANN, 4));
    log.add(view(null, 5, { sessionId: SESSION }), identified(null, 6, PROFILE, SESSION), view(ANN, 8));
    await project(websites);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB, null]);
    await decide(7);
    expect(kindsOf(await erase(websites))).toEqual(['profile', 'session', 'visitor']);
    log.add(view(ANN, 9), view(ANN, 10));
    await project(websites);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB]);
    expect(await erase(websites)).toEqual([]);
    log.currentEpoch = 'another log';
    await run(pool, sql`update projection_checkpoints set epoch = 'another log'`);
    expect(await erase(websites)).toHaveLength(3);
    expect(await viewers()).toEqual([ANN, ANN, ANN, BOB]);
  });

  it('names a visitor once who was identified on every page', async () => {
    log.add(...[0, 1, 2].flatMap((minute) => [view(ANN, minute), identified(ANN, minute)]));
    await project(websites);
    await decide(7);
    await erase(websites);
    expect(await viewers()).toEqual([]);
    const [, extended, ...more] = await store.readStream(erasureStream('org_1', 'era_7'), { limit: 10 });
    expect(extended).toMatchObject({ type: 'ErasureExtended', data: { visitors: [ANN] } });
    expect(more).toEqual([]);
  });

  it('takes out a visitor who was never identified, also twice, and not who comes back a minute later', async () => {
    log.add(view(ANN, 0), view(BOB, 1), view(ANN, 2));
    await project(websites);
    await decide(3, { websiteId: 'site_1', visitors: [ANN, 'f'.repeat(32)] });
    await erase(websites);
    expect(await viewers()).toEqual([BOB]);
    log.add(view(ANN, 4));
    await project(websites);
    expect(await viewers()).toEqual([ANN, BOB]);
    await decide(5, { websiteId: 'site_1', visitors: [ANN] });
    await erase(websites);
    log.add(view(ANN, 6));
    await project(websites);
    expect(await viewers()).toEqual([ANN, BOB]);
  });

  it('leaves out what is not projected yet', async () => {
    await decide(4);
    await erase(websites);
    log.add(view(ANN, 0), view(BOB, 1), view(ANN, 2), identified(ANN, 3));
    await project(websites);
    expect(kindsOf(await erase(websites))).toEqual(['visitor']);
    expect(await viewers()).toEqual([BOB]);
    log.add({ ...view(ANN, 2), receivedAt: START + 9 * MINUTE }, view(BOB, 5), view(ANN, 6));
    await project(websites);
    expect(await viewers()).toEqual([ANN, BOB, BOB]);
  });

  it('leaves out what waits for a retry', async () => {
    log.add(view(ANN, 0), view(BOB, 1), identified(ANN, 3));
    await project(websites);
    await run(
      pool,
      sql`insert into parked_events (projection_group, version, partition, epoch, tries, cursor, after, event_id,
        event_type, subject, order_key, error)
        select 'websites', 1, 0, 'memory', 1, cursor, '', 'e', 'PageViewed', 'site_1', cursor, 'x'
        from unnest(array['0', '1']) as parked (cursor)`,
    );
    await decide(4);
    await erase(websites);
    expect(await run(pool, sql`select cursor from parked_events`)).toEqual([{ cursor: '1' }]);
  });

  it('takes out the clicks on short links that led to the visits', async () => {
    const clicks = [1, 2, 3].map((n) => linkClick('link_1', n));
    const led = (n: number) => ({ click: { id: clicks[n]!.id, linkId: 'link_1' } });
    log.add(...clicks, view(ANN, 1, led(0)), view(BOB, 2, led(1)), identified(ANN, 3));
    for (const group of [websites, links]) await project(group);
    expect(await clicksLeft()).toBe(3);
    await decide(4);
    await erase(websites);
    expect(await clicksLeft()).toBe(3);
    await erase(links);
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
    await decide(4);
    await erase(websites);
    await expect(reconcile(links, () => erase(links))).rejects.toThrow(TablesRevised);
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
    await decide(24 * 60 + 2);
    await erase(websites);
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
    await decide(3);
    await erase(websites);
    expect(await readLayout(pool, 'websites')).toMatchObject({ version: 2, previous: null });
    expect(await viewers(2)).toEqual([BOB]);
  });

  it('waits while the group is being rebuilt', async () => {
    log.add(view(ANN, 0), identified(ANN, 1));
    await project(websites);
    await decide(2);
    await withRebuildLock(websites, async () => {
      await expect(erase(websites)).rejects.toThrow(RebuiltElsewhere);
    });
    expect(await viewers()).toEqual([ANN]);
    await erase(websites);
    expect(await viewers()).toEqual([]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let websites: BoundGroup;
  let links: BoundGroup;
  let store: EventStore;
  let decided: Map<BoundGroup, DecidedErasures>;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    store = await openEventStore({ databaseUrl: database.url });
    log = new MemoryLog();
    websites = bind(new WebsitesGroup(pool), log, pool);
    links = bind(linksGroup(), log, pool);
    decided = new Map([websites, links].map((group) => [group, new DecidedErasures(store)]));
    for (const group of [websites, links]) await createIndexes(pool, group, await openLiveVersion(pool, group, log));
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  /** As the api records it. */
  async function decide(minute: number, subject: JsonObject = { websiteId: 'site_1', profile: PROFILE }) {
    const organizationId = 'org_1';
    const erasureId = `era_${minute}`;
    const data = { organizationId, erasureId, subject, destroyedKeyIds: [] };
    const metadata = { occurredAt: new Date(START + minute * MINUTE).toISOString(), schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream(organizationId, erasureId), 'no-stream', [event]);
  }

  const erase = (group: BoundGroup) => eraseVisits(group, decided.get(group)!);

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

const kindsOf = (rules: readonly ErasureRule[]) => rules.map(({ kind }) => kind).sort();

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
