import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { packReport } from './page-report';
import { pageVisitsOf } from './page-visits';
import { sessionOf } from './session';

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
