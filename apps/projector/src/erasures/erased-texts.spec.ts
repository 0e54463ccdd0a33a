import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import { pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { planted, PLANTED, START } from '@test/privacy/planted-events';
import { placesOf, storedInTables } from '@test/privacy/stored-bytes';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { reconcilePartition } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { sealDays } from '../sealing/seal-days';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const ERASED = '2026-05-26T00:00:00Z';
/** Beside what the log has: as projecting and comparing leave it. */
const BESIDE = ['planted-parked', 'planted-found'];

describe('texts that only an erased visitor had', () => {
  it('are in no table, and those of others stay, on days that are open or packed', async () => {
    const seal = () => sealDays({ pool, schema: 'websites_v1', quietMs: 0 });
    const shared = planted(BOB, 24).filter(({ type }) => type === 'OutgoingLinkClicked');
    log.add(...planted(ANN, 0), ...shared, ...planted(ANN, 30), ...others());
    for (const group of [websites, links]) await project(group);
    await seal();
    await plantBeside();
    expect(await found([...PLANTED, ...BESIDE])).toEqual([...PLANTED, ...BESIDE].sort());
    await erase();
    expect(await found([...PLANTED, ...BESIDE])).toEqual(['planted-href', 'planted-path', 'planted-text']);
    expect(await found(PLANTED.map(renamed))).toEqual(PLANTED.map(renamed).sort());
    await seal();
    const differing: unknown[] = [];
    const compared = { partition: 0, goesOn: false, rest: () => Promise.resolve() };
    for (const group of [websites, links])
      await reconcilePartition({ ...compared, group, onFinding: (finding) => differing.push(finding) });
    expect(differing).toEqual([]);
  });

  it('get other ids when somebody has them later, in each process that projects', async () => {
    log.add(view(ANN, 0, '/planted'), view(BOB, 1, '/'));
    const standby = process();
    const other = process();
    for (const { runner } of [other, standby]) await runner.step();
    log.add(view(ANN, 2, '/late'), view(BOB, 3, '/planted'));
    const stale = await standby.computeOnly();
    await erase();
    expect(await stale()).toBe('outrun');
    expect(await found(['/late'])).toEqual([]);
    log.add(view(BOB, 4, '/planted'));
    for (const { runner } of [standby, other, standby]) await runner.step();
    const paths = sql`select d.text from websites_v1.sessions s, unnest(s.hit_path) hit (path)
      left join dictionary d on d.id = hit.path order by 1`;
    expect(await run(pool, paths)).toEqual(['/', '/planted', '/planted'].map((text) => ({ text })));
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let websites: BoundGroup;
  let links: BoundGroup;
  let store: EventStore;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    store = await openEventStore({ databaseUrl: database.url });
    log = new MemoryLog();
    websites = bind(new WebsitesGroup(pool), log, pool);
    links = bind(linksGroup(), log, pool);
    for (const group of [websites, links]) await createIndexes(pool, group, await openLiveVersion(pool, group, log));
  });
  afterEach(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  const LIVE = { partition: 0, batch: 100, version: 'live' } as const;
  const project = (group: BoundGroup) => group.runner(LIVE).step();

  /** With a cache of its own. */
  function process() {
    const group = new WebsitesGroup(pool);
    const runner = bind(group, log, pool).runner(LIVE);
    return {
      runner,
      /** A batch whose texts have ids; what is answered goes on. */
      async computeOnly() {
        const prepare = group.prepare.bind(group);
        const gates = new EventEmitter();
        const [prepared, goesOn] = ['prepared', 'goes on'].map((name) => once(gates, name));
        jest.spyOn(group, 'prepare').mockImplementationOnce(async (logged) => {
          const compute = await prepare(logged);
          gates.emit('prepared');
          await goesOn;
          return compute;
        });
        const step = runner.step();
        await prepared;
        return () => {
          gates.emit('goes on');
          return step;
        };
      },
    };
  }

  /** The rows of ANN, in both groups. */
  async function erase(): Promise<void> {
    const data = { organizationId: 'org_1', erasureId: 'era_1', destroyedKeyIds: [] };
    const subject = { websiteId: 'site_1', visitors: [ANN] };
    const metadata = { occurredAt: ERASED, schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data: { ...data, subject }, metadata };
    await store.append(erasureStream('org_1', 'era_1'), 'no-stream', [event]);
    for (const group of [websites, links]) await eraseVisits(group, new DecidedErasures(store));
  }

  async function plantBeside(): Promise<void> {
    const parked = sql`insert into parked_events (projection_group, version, partition, epoch, tries, cursor, after,
        event_id, event_type, subject, order_key, error)
      values ('websites', 1, 0, 'memory', 1, '1', '', 'e', 'PageViewed', 'site_1', '1', 'planted-parked')`;
    const finding = sql`insert into reconciliation_findings (projection_group, partition, subject, day, table_name,
        missing, extra, changed, found, in_full)
      values ('websites', 0, 'site_1', '2026-05-24', 'sessions', 0, 1, 0, '{"path": "planted-found"}', true)`;
    const compared = sql`insert into reconciliations (projection_group, partition) values ('websites', 0)`;
    for (const statement of [parked, compared, finding]) await run(pool, statement);
  }

  /** Returns which of these texts any table of the read store has. */
  async function found(texts: readonly string[]): Promise<readonly string[]> {
    const tables = await storedInTables(database.url);
    return texts.filter((text) => placesOf(tables, [text]).length > 0).sort();
  }
});

const view = (visitorId: string, minute: number, path: string) =>
  pageView(START + minute * 60_000, { visitorId, path });

/** The hits of a visitor who keeps other texts. */
const others = () =>
  planted(BOB, 2).map((event) => ({ ...(JSON.parse(renamed(JSON.stringify(event))) as ObservedEvent), id: event.id }));

const renamed = (text: string) => text.replaceAll('planted-', 'other-');
