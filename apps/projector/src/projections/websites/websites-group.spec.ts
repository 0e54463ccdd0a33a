import fc from 'fast-check';
import { run } from '@ledgerline/platform/database/pool';
import { naiveSessions } from '@test/oracle/naive-sessions';
import { identifications } from '@test/oracle/random-identifications';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { tablesIn } from '@test/projector/tables-in';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { WebsitesGroup } from './websites-group';

/** `PROJECTION_RUNS=500 npx jest apps/projector/src/projections/websites/websites-group` for the long run, as in `npm run prove`. */
const RUNS = Number(process.env['PROJECTION_RUNS'] ?? 20);

jest.setTimeout(120_000 + RUNS * 2_000);

describe('the projections of a website', () => {
  it('are the same whatever the pieces, the order and repeats of events, and however often a batch is delivered', async () => {
    const property = fc.asyncProperty(
      traffic,
      identifications,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      fc.array(fc.nat(59), { maxLength: 12 }),
      async (random, identified, pieces, seed, again) => {
        const about = { websiteId: site(), organizationId: 'org_1', zone: random.zone };
        const events = [...random.events(about), ...identified.events(about, random.start)];
        await versions.project(IN_ONE_GO, new MemoryLog(events));
        const logged = [...events, ...again.flatMap((at) => events[at] ?? [])];
        await versions.project(IN_PIECES, new MemoryLog(shuffle(logged, seed), cycle(pieces)), 2);
        expect(await versions.differences()).toEqual([]);
      },
    );
    await fc.assert(property, { seed: 41, numRuns: RUNS });
  });

  it('hold the sessions that the definitions say', async () => {
    const property = fc.asyncProperty(traffic, async (random) => {
      const events = random.events({ websiteId: site(), organizationId: 'org_1', zone: random.zone });
      await versions.project(IN_ONE_GO, new MemoryLog([...events, ...events.slice(0, 9)]));
      const expected = naiveSessions(events).map(({ id, visitor, views, duration, bounced, first }) => {
        const entered = first ? first.at : null;
        return { id, visitor, pageviews: views.length, duration, bounced: views.length > 0 && bounced, entered };
      });
      const rows = await run(versions.pool, {
        text: `select replace(session::text, '-', '') as id, replace(visitor::text, '-', '') as visitor, pageviews,
            duration_ms::float8 as duration, bounced, (extract(epoch from entered_at) * 1000)::float8 as entered
          from websites_v${IN_ONE_GO}.sessions join dictionary named on named.id = website
          where text = $1 and kind <> 2 order by session, sessions.visitor`,
        values: [`site_${sites}`],
      });
      expect(rows).toEqual(expected.sort((a, b) => (a.id + (a.visitor ?? '~') < b.id + (b.visitor ?? '~') ? -1 : 1)));
    });
    await fc.assert(property, { seed: 42, numRuns: RUNS });
  });

  it('ask the database nothing for a batch without hits of a website', async () => {
    const compute = await new WebsitesGroup(versions.pool).prepare([]);
    expect(await compute(versions.pool, tablesIn('websites_nowhere'))).toEqual({ statements: [] });
  });

  let versions: WebsiteVersions;
  let sites = 0;
  const site = () => `site_${++sites}`;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());
});

const cycle = (pieces: readonly number[]) => {
  let at = 0;
  return () => pieces[at++ % pieces.length]!;
};

function shuffle<T>(items: readonly T[], seed: number): T[] {
  const keyed = items.map((item, at) => ({ item, key: Math.sin(seed + at * 7919) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
