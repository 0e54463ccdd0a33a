import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream, readWholeStream } from '@ledgerline/platform/event-store/event-store';
import { pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { rebuild } from '../rebuild/rebuild';
import { reconcilePartition, repair } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { ExpirationDecisions } from './decide-expirations';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';

const DAY = 86_400_000;
const FIRST = Date.parse('2026-05-04T10:00:00Z');
const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);

describe('days that are older than a website keeps hits', () => {
  it('go from sessions, and every rollup stays as it was', async () => {
    log.add(...visits());
    await project();
    const before = await rollups();
    await keep(5);
    expect(await expire(20)).toEqual(['expired']);
    expect(await daysOfSessions()).toEqual(['2026-05-19', '2026-05-20', '2026-05-24']);
    expect(await rollups()).toEqual(before);
    expect(await run(pool, sql`select website_id, before::text from expirations`)).toEqual([
      { website_id: 'site_1', before: '2026-05-19' },
    ]);
  });

  it('are left out by rebuilds, repairs and comparisons, and when they arrive later', async () => {
    log.add(...visits());
    await project();
    await keep(5);
    await expire(20);
    log.add(view(ANN, 1, '/late'), view(ANN, 21, '/'));
    await project();
    await reconcile();
    await repair(websites, 0, { subject: 'site_1', days: [] });
    expect(await run(pool, sql`select table_name, expected, found from reconciliation_findings`)).toEqual([]);
    await expect(rebuild({ group: websites, flip: true })).resolves.toMatchObject({ flipped: true, differences: [] });
    const days = await daysOfSessions(2);
    expect(days).toEqual(['2026-05-19', '2026-05-20', '2026-05-24', '2026-05-25']);
    const counted = await rollups(2);
    log.currentEpoch = 'another log';
    await run(pool, sql`update projection_checkpoints set epoch = 'another log'`);
    await eraseVisits(websites, decided);
    expect(await rollups(2)).toEqual(counted);
  });

  it('expire a day after that was set, a week at a time, and a longer time brings nothing back', async () => {
    log.add(...visits());
    await project();
    await keep(10, 19);
    expect(await expire(19.9)).toEqual([]);
    expect(await expire(20)).toEqual(['expired']);
    expect(await daysOfSessions()).toEqual(['2026-05-14', '2026-05-15', '2026-05-19', '2026-05-20', '2026-05-24']);
    expect(await expire(26)).toEqual([]);
    await keep(400, 24);
    expect(await expire(26)).toEqual([]);
    await keep(10, 25);
    expect(await expire(27)).toEqual(['expired']);
    expect(await daysOfSessions()).toEqual(['2026-05-24']);
  });

  it('keep the share of a visitor who is erased later, with texts that they alone had then', async () => {
    log.add(...visits(), view(ANN, 1, '/then'), view(ANN, 15, '/since'), view(ANN, 16, '/then and since'));
    log.add(view(ANN, 2, '/then and since'));
    await project();
    await keep(5);
    await expire(20);
    const data = { organizationId: 'org_1', erasureId: 'era_1', destroyedKeyIds: [] };
    const subject = { websiteId: 'site_1', visitors: [ANN] };
    const metadata = { occurredAt: new Date(FIRST + 30 * DAY).toISOString(), schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data: { ...data, subject }, metadata };
    await store.append(erasureStream('org_1', 'era_1'), 'no-stream', [event]);
    const { bytes } = (await run<{ bytes: string }>(pool, expiredBytes))[0]!;
    await eraseVisits(websites, decided);
    expect(await run(pool, sql`select distinct actor from websites_v1.sessions`)).toHaveLength(1);
    expect((await run<{ bytes: string }>(pool, expiredBytes))[0]?.bytes).toBe(bytes);
    const paths = sql`select text from dictionary where text like '/%' order by 1`;
    expect((await run<{ text: string }>(pool, paths)).map(({ text }) => text)).toEqual([
      '/',
      '/pricing',
      '/then',
      '/then and since',
    ]);
  });

  it('wait until the tables have all of the log, so that it is counted', async () => {
    log.add(...visits());
    await project();
    await keep(5);
    const before = await rollups();
    log.add(view(BOB, 3, '/late'));
    const heads = jest.spyOn(log, 'head');
    const expired = expire(20);
    await waitUntil(
      () => Promise.resolve(heads.mock.calls.length),
      (calls) => calls > 0,
    );
    expect(await run(pool, sql`select from erasure_rules`)).toEqual([]);
    await project();
    const counted = await rollups();
    expect(JSON.stringify(counted)).not.toBe(JSON.stringify(before));
    expect(await expired).toEqual(['expired']);
    expect(await rollups()).toEqual(counted);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let websites: BoundGroup;
  let store: EventStore;
  let decided: DecidedErasures;
  let expirations: ExpirationDecisions;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    store = await openEventStore({ databaseUrl: database.url });
    log = new MemoryLog();
    websites = bind(new WebsitesGroup(pool), log, pool);
    decided = new DecidedErasures(store);
    expirations = new ExpirationDecisions(store);
    await createIndexes(pool, websites, await openLiveVersion(pool, websites, log));
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  const project = async () => {
    while ((await websites.runner({ partition: 0, batch: 100, version: 'live' }).step()) !== 'idle');
  };

  const reconcile = () =>
    reconcilePartition({
      group: websites,
      partition: 0,
      goesOn: false,
      rest: () => Promise.resolve(),
      onFinding: () => undefined,
    });

  /** Sets it on a day. */
  async function keep(retentionDays: number, day = 0) {
    const stream = RECORD_KINDS.websites.stream({ organizationId: 'org_1', id: 'site_1' });
    const { length } = await readWholeStream(store, stream);
    const details = {
      organizationId: 'org_1',
      websiteId: 'site_1',
      name: 'Shop',
      domain: 'a.example',
      timezone: 'UTC',
    };
    const data = { ...details, visitorIdentity: 'stable', isPublic: false, allowedOrigins: [], retentionDays };
    const metadata = { occurredAt: new Date(FIRST + day * DAY).toISOString(), schemaVersion: '2' };
    const type = length === 0 ? 'WebsiteRegistered' : 'WebsiteUpdated';
    await store.append(stream, length === 0 ? 'no-stream' : length - 1, [{ id: randomUUID(), type, data, metadata }]);
  }

  /** Returns what is taken out on a day. */
  async function expire(day: number) {
    await expirations.decide(websites, FIRST + day * DAY);
    return (await eraseVisits(websites, decided)).map(({ kind }) => kind);
  }

  async function daysOfSessions(version = 1) {
    const text = `select distinct first_at::date::text as day from websites_v${version}.sessions order by 1`;
    return (await run<{ day: string }>(pool, { text, values: [] })).map(({ day }) => day);
  }

  /** Those of the version together with those of expired days. */
  async function rollups(version = 1) {
    const kept = await readKept(pool, `websites_v${version}`);
    const expired = await run<{ rollup: string; bytes: Buffer }>(pool, sql`select rollup, bytes from expired_rollups`);
    const website = kept[0]!.website;
    return keptSums([...kept, ...expired.map(({ rollup, bytes }) => ({ website, packs: { [rollup]: bytes } }))]);
  }
});

const expiredBytes = sql`select string_agg(encode(bytes, 'hex'), ' ' order by number) as bytes from expired_rollups`;

/** Visitors whose ids stay the same come back after days, also across what expires. */
const visits = () => [
  ...[0, 1, 10, 15, 20].map((day) => view(ANN, day, '/')),
  ...[0, 11, 16].map((day) => view(BOB, day, '/pricing')),
  ...[view(BOB, 20, '/'), view(BOB, 20.01, '/pricing')],
];

const view = (visitorId: string, day: number, path: string, given: Partial<PageViewed['data']> = {}) =>
  pageView(FIRST + day * DAY, { visitorId, path, zone: 'UTC', identity: 'stable', ...given });
