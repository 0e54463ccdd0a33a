import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { type ErasureRule, ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import { customEvent, pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { runs } from '@test/random-runs';
import { compactAll } from '../compaction/compact-rollups';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { reconcilePartition } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { packParts } from '../sealing/pack-parts';
import { sealDays } from '../sealing/seal-days';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';

const SCHEMA = 'websites_v1';
const START = Date.parse('2026-05-04T10:00:00Z');

describe('visitors of random traffic who are erased at some moment', () => {
  it('leave tables that follow from the log without them, and the texts of others alone', async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const packing = fc.constantFrom('no' as const, 'sealed' as const, 'in parts' as const);
    const property = fc.asyncProperty(traffic, share, share, packing, async (random, when, of, days) => {
      const [erased, oracle] = [`erased_${++sites}`, `oracle_${sites}`].map((websiteId) =>
        random.events({ websiteId, organizationId: 'org_1', zone: random.zone }),
      ) as [WebsiteObservedEvent[], WebsiteObservedEvent[]];
      fc.pre(visitorsIn(erased).length > 0);
      const some = (all: readonly string[]) => all.slice(0, Math.max(1, Math.ceil(of * all.length)));
      const visitors = some(visitorsIn(erased));
      const sameOfOracle = some(visitorsIn(oracle));
      const received = erased.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
      const at = received[Math.floor(when * (received.length - 1))] ?? 0;
      log.add(...erased);
      await project();
      await pack(days);
      await erase(`erased_${sites}`, visitors, at);
      const rules = new ErasureRules(rulesAbout(`oracle_${sites}`, sameOfOracle, at));
      log.add(...oracle.filter((event) => rules.matching(event).length === 0));
      await project();
      // not all: of later page views of a session texts get ids that no row has
      expect(await textsOf(`oracle_${sites}`)).toEqual(expect.arrayContaining([...(await textsOf(`erased_${sites}`))]));
      expect(await sessionsOf(`erased_${sites}`)).toEqual(await sessionsOf(`oracle_${sites}`));
      expect(await differences()).toEqual([]);
      if (days === 'no') return;
      await pack(days);
      expect(await differences()).toEqual([]);
    });
    await fc.assert(property, { numRuns: runs(4), seed: 20_261 });
  }, 300_000);

  it('leave the rows of others as they were written', async () => {
    const [ann, bob, eve] = ['a', 'b', 'c'].map((digit) => digit.repeat(32)) as [string, string, string];
    const view = (visitorId: string, minute: number) =>
      pageView(START + minute * 60_000, { visitorId, path: `/${minute}` });
    log.add(view(ann, 0), view(bob, 1), view(eve, 2), view(bob, 3));
    await project();
    const rows = await rowsOf('sessions');
    const rollups = await rowsOf('website_rollups');
    await erase('site_1', [eve], START + 3 * 60_000);
    expect(rows).toHaveLength(3);
    expect(await rowsOf('sessions')).toEqual(rows.filter(({ actor }) => actor !== eve));
    expect(await rowsOf('website_rollups')).not.toEqual(rollups);
    expect(await textsOf('site_1')).toEqual(expect.not.arrayContaining(['/2']));
    await erase('site_1', ['d'.repeat(32)], START + 4 * 60_000);
    expect(await rowsOf('sessions')).toEqual(rows.filter(({ actor }) => actor !== eve));
  });

  it('are taken out where rollups cannot be read, too, which are made anew', async () => {
    const [ann, bob] = ['a', 'b'].map((digit) => digit.repeat(32)) as [string, string];
    for (const [nth, visitorId] of [ann, bob].entries()) {
      const event = customEvent('site_1', nth);
      log.add({ ...event, data: { ...event.data, visitorId } });
    }
    await project();
    const column = identifier(rollupNamed('event_names').name);
    await run(pool, sql`update websites_v1.website_rollups set ${column} = '\\x07'`);
    await erase('site_1', [ann], Date.parse('2027-01-01T00:00:00Z'));
    expect((await rowsOf('sessions')).map(({ actor }) => actor)).toEqual([bob]);
    expect(await differences()).toEqual([]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let store: EventStore;
  let log: MemoryLog;
  let group: BoundGroup;
  let sites = 0;
  let erasures = 0;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    store = await openEventStore({ databaseUrl: database.url });
    log = new MemoryLog();
    group = bind(new WebsitesGroup(pool, 0), log, pool);
    await createIndexes(pool, group, await openLiveVersion(pool, group, log));
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  async function project(): Promise<void> {
    const runner = group.runner({ partition: 0, batch: 100, version: 'live' });
    for (let step = await runner.step(); step !== 'idle';) step = await runner.step();
  }

  async function pack(how: 'no' | 'sealed' | 'in parts'): Promise<void> {
    if (how === 'no') return;
    await compactAll({ pool, schema: SCHEMA });
    if (how === 'sealed') await sealDays({ pool, schema: SCHEMA, quietMs: 0 });
    else await packParts({ pool, schema: SCHEMA, since: 0, rule: { least: 1, largest: 4, ofTier: 64 } });
  }

  async function erase(websiteId: string, visitors: readonly string[], at: number): Promise<void> {
    const erasureId = `era_${++erasures}`;
    const data = {
      organizationId: 'org_1',
      erasureId,
      subject: { websiteId, visitors: [...visitors] },
      destroyedKeyIds: [],
    };
    const metadata = { occurredAt: new Date(at).toISOString(), schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream('org_1', erasureId), 'no-stream', [event]);
    await eraseVisits(group, new DecidedErasures(store));
  }

  async function differences(): Promise<readonly object[]> {
    const found: object[] = [];
    const onFinding = (finding: object) => void found.push(finding);
    await reconcilePartition({ group, partition: 0, goesOn: false, rest: () => Promise.resolve(), onFinding });
    return found;
  }

  const textsOf = async (websiteId: string): Promise<readonly string[]> =>
    (
      await run<{ text: string }>(
        pool,
        sql`select d.text from dictionary d join dictionary site on site.id = d.scope
            where site.scope = ${WEBSITE_SCOPE} and site.text = ${websiteId} order by d.text`,
      )
    ).map(({ text }) => text);

  /** Each with how many numbers its visitors have. */
  const sessionsOf = (websiteId: string): Promise<readonly object[]> =>
    run(
      pool,
      sql`select hit_at, hit_kind, first_at, last_at, kind, count(visitor_number) over () as numbered
          from websites_v1.sessions join dictionary site on site.id = website
          where site.scope = ${WEBSITE_SCOPE} and site.text = ${websiteId} order by hit_at, kind, hit_kind`,
    );

  /** Where they are stored. */
  const rowsOf = (table: string): Promise<{ readonly actor?: string; readonly place: string }[]> =>
    run(
      pool,
      table === 'sessions'
        ? sql`select replace(actor::text, '-', '') as actor, ctid::text as place from websites_v1.sessions order by 1`
        : sql`select ctid::text as place from ${identifier(SCHEMA, table)} order by 1`,
    );
});

/** Visitors in the order of their first events. */
const visitorsIn = (events: readonly WebsiteObservedEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ data }) => data.visitorId ?? [])),
];

const rulesAbout = (websiteId: string, visitors: readonly string[], until: number): readonly ErasureRule[] =>
  visitors.map((id) => {
    return { erasureId: 'era', organizationId: 'org_1', websiteId, kind: 'visitor', subject: websiteId, id, until };
  });
