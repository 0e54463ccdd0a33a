import fc from 'fast-check';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { runs } from '@test/random-runs';

describe('the numbers of visitors', () => {
  it('are dense in each website, and the same whatever the batches and however often they are delivered', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    const property = fc.asyncProperty(traffic, traffic, pieces, async (one, another, sizes) => {
      const websites = [`site_${++sites}`, `site_${++sites}`] as const;
      const events = alternating(eventsOf(one, websites[0]), eventsOf(another, websites[1]));
      await versions.project(IN_ONE_GO, new MemoryLog(events));
      let piece = 0;
      await versions.project(IN_PIECES, new MemoryLog([...events, ...events], () => sizes[piece++ % sizes.length]!), 2);
      for (const website of websites) {
        const numbers = await numbersOf(IN_ONE_GO, website);
        expect(await numbersOf(IN_PIECES, website)).toEqual(numbers);
        expect(numbers.map(({ number }) => number)).toEqual(numbers.map((_, place) => place));
        expect(numbers.map(({ visitor }) => visitor)).toEqual(visitorsOf(events, website));
        expect(await counterOf(website)).toBe(numbers.length);
      }
    });
    await fc.assert(property, { seed: 44, numRuns: runs(6) });
  }, 120_000);

  it('go on after those of visitors who came long ago, and are not given without a visitor', async () => {
    const view = (day: number, visitorId: string | null) =>
      pageView(START + day * 86_400_000, { websiteId: 'returning', visitorId });
    const [first, second, third] = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
    const batches = [[view(0, first!), view(0, null)], [view(1, second!)], [view(40, first!), view(40, third!)]];
    for (const batch of batches) await versions.project(IN_ONE_GO, new MemoryLog(batch));
    expect(await sessionsOf('returning')).toEqual([
      { visitor: null, number: null, sessions: 1 },
      { visitor: first, number: 0, sessions: 2 },
      { visitor: second, number: 1, sessions: 1 },
      { visitor: third, number: 2, sessions: 1 },
    ]);
  });

  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  const numbersOf = (version: number, website: string) =>
    run<{ visitor: string; number: number }>(
      versions.pool,
      sql`select distinct replace(visitor::text, '-', '') as visitor, visitor_number as number
        from ${identifier(`websites_v${version}`, 'sessions')} s join dictionary on id = s.website
        where text = ${website} and visitor is not null order by 2`,
    );

  const sessionsOf = (website: string) =>
    run(
      versions.pool,
      sql`select replace(visitor::text, '-', '') as visitor, visitor_number as number, count(*)::integer as sessions
        from ${identifier(`websites_v${IN_ONE_GO}`, 'sessions')} s join dictionary on id = s.website
        where text = ${website} group by 1, 2 order by 2 nulls first`,
    );

  async function counterOf(website: string): Promise<number> {
    const [row] = await run<{ visitors: number }>(
      versions.pool,
      sql`select visitors from ${identifier(`websites_v${IN_PIECES}`, 'website_days')} d
        join dictionary on id = d.website where text = ${website}`,
    );
    return row?.visitors ?? 0;
  }
});

const START = Date.parse('2026-03-01T12:00:00Z');

const eventsOf = (random: typeof traffic extends fc.Arbitrary<infer Value> ? Value : never, websiteId: string) =>
  random.events({ websiteId, organizationId: 'org_1', zone: random.zone });

const alternating = <T>(a: readonly T[], b: readonly T[]): T[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [
    ...a.slice(at, at + 1),
    ...b.slice(at, at + 1),
  ]).flat();

/** In the order in which they come first. */
function visitorsOf(events: readonly WebsiteObservedEvent[], website: string): readonly string[] {
  const visitors = events.flatMap(({ data }) =>
    data.websiteId === website && data.visitorId !== null ? [data.visitorId] : [],
  );
  return [...new Set(visitors)];
}
