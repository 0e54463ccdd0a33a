import { calendarOf } from '@ledgerline/domain/time/zones';
import { HIT, SESSION_KIND } from '../read-models/sessions';
import { pageVisitsOf, splitByWindow, windowOf } from './local-session';
import { sessionOf } from './session';

describe('the days of a session', () => {
  it('span a window, also where the last one is earlier than the first', () => {
    const window = { since: day('2010-03-04'), until: day('2010-03-05') };
    const back = viewedAt(AFTER_MIDNIGHT, SET_BACK);
    const other = viewedAt('2010-03-03T06:00');
    expect(windowOf([back], CASEY)).toEqual(window);
    expect(windowOf([back, viewedAt('2010-03-04T16:10')], CASEY)).toEqual(window);
    const fourth = { since: day('2010-03-04'), until: day('2010-03-04') };
    expect(splitByWindow([back, other], CASEY, fourth).near.map(({ session }) => session)).toEqual([back]);
  });
});

/** There, at 02:00 on 5 March 2010 (15:00 UTC on the 4th), it became 23:00 on the 4th. */
const CASEY = calendarOf('Antarctica/Casey');
const AFTER_MIDNIGHT = '2010-03-04T13:10';
const SET_BACK = '2010-03-04T15:10';

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

/** A session of page views at these minutes, UTC. */
const viewedAt = (...minutes: readonly string[]) =>
  sessionOf(
    'a',
    SESSION_KIND.client,
    minutes.map((minute, n) => {
      return {
        at: Date.parse(`${minute}Z`),
        id: String(n),
        kind: HIT.view,
        path: 1,
        hostname: 0,
        values: [0],
        from: 0,
      };
    }),
    undefined,
  );

describe('the visits of pages in a session', () => {
  it('take the greatest of what is reported until the next page view of the path', () =>
    expect(
      visits(
        view(1, HOME),
        leave(2, HOME, 3000, 4000),
        view(3, HOME),
        leave(4, HOME, 500, 1000),
        span(5, HOME, 900, 500),
      ),
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

const HOME = 1;
const DOCS = 2;

const hit = (at: number, kind: number, path: number, values: readonly number[]) => ({
  at,
  id: String(at),
  kind,
  path,
  hostname: 0,
  from: 2,
  values: [9, 9, ...values], // those of other hits come first
});
const view = (at: number, path: number) => hit(at, HIT.view, path, [7]);
const report = (kind: number) => (at: number, path: number, ms: number, scroll: number) =>
  hit(at, kind, path, [ms, scroll, -1]);
const leave = report(HIT.leave);
const span = report(HIT.engagement);

const visits = (...hits: ReturnType<typeof hit>[]) => pageVisitsOf(sessionOf('s', 0, hits, undefined));
