import type { Pool } from 'pg';
import type { CustomEventTracked, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { customEvent, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../../open-pool';
import { bind } from '../../runner/bound-group';
import { withVersionsLock } from '../../versions/change-layout';
import { openLiveVersion } from '../../versions/live-version';
import { createVersion } from '../../versions/version-tables';
import { WebsitesGroup } from './websites-group';

/** Hits of the endless visitor; as many others arrive in between. */
const HITS = 1_000;
/** Seconds from one hit to the next where all of them take 70 days: more than the longest block. */
const SECONDS_APART = (70 * 86_400) / HITS;

describe('a history that never ends', () => {
  it('of one session is counted like any other, and others go on beside it', async () => {
    await arrivesInPieces((n) => ({ visitorId: ENDLESS, sessionId: ENDLESS, n: n * SECONDS_APART }));
    expect(await sessionsOf(ENDLESS)).toEqual({ sessions: 1, hits: HITS });
  }, 60_000);

  it('of one visitor without session ids, either', async () => {
    await arrivesInPieces((n) => ({ visitorId: ENDLESS, sessionId: null, n: n * 60 }));
    expect(await sessionsOf(ENDLESS)).toEqual({ sessions: 1, hits: HITS });
  }, 60_000);

  it('of one visitor with a session for each hit, either', async () => {
    await arrivesInPieces((n) => ({ visitorId: ENDLESS, sessionId: hexOf(n), n: n * SECONDS_APART }));
    expect(await sessionsOf(ENDLESS)).toEqual({ sessions: HITS, hits: HITS });
  }, 60_000);

  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  /** Projects them live, 100 at a time, and again in one go: both must give the same tables. */
  async function arrivesInPieces(hitOf: (n: number) => Endless): Promise<void> {
    const events = Array.from({ length: HITS }, (_, n) => [endlessHit(hitOf(n), n), customEvent('site_1', n)]).flat();
    for (const [version, piece] of Object.entries({ 1: 100, 2: Infinity })) {
      const log = new MemoryLog(events, () => piece);
      const group = bind(new WebsitesGroup(pool), log, pool);
      await openLiveVersion(pool, group, log);
      await withVersionsLock(pool, (client) => createVersion(client, group, Number(version), log));
      const runner = group.runner({ partition: 0, batch: 10_000, version: Number(version) });
      await waitUntil(
        () => runner.step(),
        (step) => step !== 'moved',
      );
    }
    expect(await compareVersions(pool, bind(new WebsitesGroup(pool), new MemoryLog(), pool), 1, 2)).toEqual([]);
    const [others] = await run(
      pool,
      sql`select count(*)::integer as visitors from websites_v1.sessions where visitor <> ${ENDLESS}::uuid`,
    );
    expect(others).toEqual({ visitors: HITS });
  }

  const sessionsOf = async (visitor: string) =>
    (
      await run(
        pool,
        sql`select count(*)::integer as sessions, sum(cardinality(hit_at))::integer as hits
          from websites_v1.sessions where visitor = ${visitor}::uuid`,
      )
    )[0];
});

interface Endless {
  readonly visitorId: string;
  readonly sessionId: string | null;
  /** Seconds since the first one. */
  readonly n: number;
}

const ENDLESS = 'e'.repeat(32);

const hexOf = (n: number) => n.toString(16).padStart(32, '0');

/** Page views from two countries on three pages in turn, and a custom event now and then. */
function endlessHit({ n, ...who }: Endless, place: number): CustomEventTracked | PageViewed {
  const { id } = customEvent('endless', n);
  const { at, data } = customEvent('site_1', n);
  if (place % 5 === 0) return { ...customEvent('site_1', n), id, data: { ...data, ...who } };
  const country = place % 2 === 0 ? 'DE' : 'FR';
  const path = `/page/${place % 3}`;
  return { ...pageView(at, { ...who, country, path, zone: data.zone, websiteId: data.websiteId }), id };
}
