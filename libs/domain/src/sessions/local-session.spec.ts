import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf } from '../time/zones';
import { interactionsOf, packReport, pageVisitsOf, scrollOf, splitByWindow, windowOf } from './local-session';
import { sessionOf } from './session';
import fc from 'fast-check';

describe('the days of a session', () => {
  it('span a window, also where the last one is earlier than the first', () => {
    const window = { since: day('2010-03-04'), until: day('2010-03-05') };
    const [back, other] = [viewedAt(AFTER_MIDNIGHT, SET_BACK), viewedAt('2010-03-03T06:00')];
    expect(windowOf([back], CASEY)).toEqual(window);
    expect(windowOf([back, viewedAt('2010-03-04T16:10')], CASEY)).toEqual(window);
    const fourth = { since: day('2010-03-04'), until: day('2010-03-04') };
    expect(splitByWindow([back, other], CASEY, fourth).near.map(({ session }) => session)).toEqual([back]);
  });
});

/** There, at 02:00 on 5 March 2010 (15:00 UTC on the 4th), it became 23:00 on the 4th. */
const CASEY = calendarOf('Antarctica/Casey');
const [AFTER_MIDNIGHT, SET_BACK] = ['2010-03-04T13:10', '2010-03-04T15:10'];

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

/** A session of page views at these minutes, UTC. */
const viewedAt = (...minutes: readonly string[]) =>
  sessionOf(
    'a',
    SESSION_KIND.client,
    minutes.map((minute, n) => {
      return { at: Date.parse(`${minute}Z`), id: String(n), kind: HIT.view, path: 1, text: 0, extra: 0 };
    }),
    undefined,
  );

describe('the visits of pages in a session', () => {
  it('take the greatest of what is reported until the next page view of the path', () =>
    expect(
      visits(view(1, HOME), leave(2, HOME, 3000, 40), view(3, HOME), leave(4, HOME, 500, 10), span(5, HOME, 900, 5)),
    ).toMatchObject([
      { path: HOME, at: 1, timeMs: 3000, scroll: 4000, interactions: -1 },
      { path: HOME, at: 3, timeMs: 900, scroll: 1000, interactions: -1 },
    ]));

  it('are left out where nothing is reported', () =>
    expect(visits(view(1, HOME), view(2, DOCS), leave(3, DOCS, -1, 1)).map(({ path }) => path)).toEqual([DOCS]));

  it('begin with a report where there is no page view before it', () =>
    expect(
      visits(leave(1, HOME, 10, 1), span(2, HOME, 20, 1), view(3, HOME)).map(({ at, timeMs }) => [at, timeMs]),
    ).toEqual([[1, 20]]));
});

const [HOME, DOCS] = [1, 2];

const hit = (at: number, kind: number, path: number, extra: number, text: number) => ({
  at,
  id: String(at),
  kind,
  path,
  extra,
  text,
});
const view = (at: number, path: number) => hit(at, HIT.view, path, 0, 7);
const report = (kind: number) => (at: number, path: number, ms: number, scrollDepth: number) =>
  hit(at, kind, path, ms, packReport({ scrollDepth, interactions: null }));
const leave = report(HIT.leave);
const span = report(HIT.engagement);

const visits = (...hits: ReturnType<typeof hit>[]) => pageVisitsOf(sessionOf('s', 0, hits, undefined));

describe('the report of a page view', () => {
  it('fits into one integer and comes out as it went in', () => {
    const report = fc.record({
      scrollDepth: fc.option(fc.integer({ min: 0, max: 10_000 })),
      interactions: fc.option(fc.integer({ min: 0, max: 200_000 })),
    });
    fc.assert(
      fc.property(report, ({ scrollDepth, interactions }) => {
        const packed = packReport({ scrollDepth: scrollDepth === null ? null : scrollDepth / 100, interactions });
        expect(packed).toBeLessThan(2 ** 31);
        expect([scrollOf(packed), interactionsOf(packed)]).toEqual([scrollDepth ?? -1, interactions ?? -1]);
      }),
    );
  });

  it('is 0 where nothing is reported', () => expect(packReport({ scrollDepth: null, interactions: null })).toBe(0));

  it('is cut to what is possible', () => {
    const packed = packReport({ scrollDepth: 180, interactions: 1_000_000 });
    expect([scrollOf(packed), interactionsOf(packed)]).toEqual([10_000, 200_000]);
  });
});
