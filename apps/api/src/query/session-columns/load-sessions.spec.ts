import { randomBytes } from 'node:crypto';
import { HIT, sessions } from '@ledgerline/contracts/read-models/sessions';
import { MOST_PATHS, MOST_VISITS, VISIT_WORDS } from '@ledgerline/domain/sessions/packed-pages';
import { openSqlDatabase, queryContext, session, type SqlDatabase } from '@test/query/sql-database';
import type { SessionColumns } from './session-columns';
import { loadSessions } from './load-sessions';

const VISITOR = '0123456789abcdef0123456789abcdef';
const CONTEXT = queryContext({ filters: [{ field: 'country', values: [7], negated: false }] });
const ALL = { columns: new Set(['os_name'] as const), times: true, paths: true, visits: true, hits: true };

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const of = { country: 7, visitor: VISITOR };
  await on.insert(sessions, [
    session([{ at: '2026-03-02T10:00Z', path: 1 }], { ...of, os_name: 3 }),
    session(
      [
        { at: '2026-03-03T10:00Z', path: 1 },
        { at: '2026-03-03T10:01Z', kind: 'custom' },
      ],
      of,
    ),
    session(
      [1, 2, 2].map((path) => ({ at: '2026-03-03T11:00Z', path })),
      { ...of, visitor: null },
    ),
    session(
      [
        { at: '2026-03-01T23:59Z', path: 4 },
        { at: '2026-03-02T00:00Z', path: 5 },
        { at: '2026-03-02T00:01Z', kind: 'outgoing' },
      ],
      { country: 7 },
    ),
    session([{ at: '2026-03-02T10:00Z', path: 9 }], { country: 8 }),
  ]);
});
afterAll(() => on.close());

describe('the sessions that filters select', () => {
  it('are columns with a place for each', async () => {
    const { size, visitors, visitorCount, pageviews, column } = await load();
    expect([size, visitorCount]).toEqual([4, 2]);
    expect(visitors.filter((visitor) => visitor === -1)).toHaveLength(1);
    expect([...pageviews].sort()).toEqual([1, 1, 2, 3]);
    expect([...column('os_name')].sort()).toEqual([0, 0, 0, 3]);
  });

  it('count only what lies in the range', async () => {
    const { inRange, isCounted } = await load();
    expect([...inRange.pageviews].sort()).toEqual([1, 1, 1, 3]);
    expect([...inRange.actions].sort()).toEqual([0, 0, 1, 1]);
    expect([...isCounted].sort()).toEqual([0, 1, 1, 1]);
  });

  it('have the path of each page view in the range', async () => {
    const { views, visitors } = await load();
    expect([...views.paths].sort()).toEqual([1, 1, 1, 2, 2, 5]);
    expect([...views.places].filter((place) => visitors[place] === -1)).toHaveLength(3);
    expect(new Set(views.places).size).toBe(visitors.length);
  });

  it('have their packed pages, as many as an entry of the index can hold', async () => {
    const [middle, visits] = [randomBytes(4 * MOST_PATHS), randomBytes(4 * VISIT_WORDS * MOST_VISITS)];
    const views = Array.from({ length: MOST_PATHS + 2 }, (_, path) => ({ at: '2026-03-03T10:00Z', path: path + 1 }));
    await on.insert(sessions, [session(views, { country: 11, middle_paths: middle, page_visits: visits })]);
    const filters = [{ field: 'country', values: [11], negated: false }];
    const loaded = await loadSessions(on.pool, queryContext({ filters }), ALL);
    const paths = Array.from({ length: MOST_PATHS }, (_, place) => middle.readInt32BE(4 * place));
    expect([...(loaded?.views.paths ?? [])]).toEqual([1, ...paths, MOST_PATHS + 2]);
    expect(loaded?.visits.paths).toHaveLength(MOST_VISITS);
    expect(loaded?.visits.timeMs.at(-1)).toBe(visits.readInt32BE(visits.length - 8));
  });

  it('have their hits in order', async () => {
    const { firstAt, loadHits } = await load();
    const place = firstAt.indexOf(Date.parse('2026-03-03T10:00Z'));
    expect((await loadHits([place])).map(({ kind, path }) => [kind, path])).toEqual([
      [HIT.view, 1],
      [HIT.custom, 0],
    ]);
  });

  it('are nothing where there are none, and undefined where there are too many', async () => {
    const none = queryContext({ filters: [{ field: 'country', values: [9], negated: false }] });
    expect(await loadSessions(on.pool, none, ALL)).toMatchObject({ size: 0, visitorCount: 0 });
    expect(await loadSessions(on.pool, CONTEXT, ALL, 3)).toBeUndefined();
    expect(await loadSessions(on.pool, CONTEXT, ALL, 4)).toMatchObject({ size: 4 });
  });
});

async function load(): Promise<SessionColumns> {
  const loaded = await loadSessions(on.pool, CONTEXT, ALL);
  if (!loaded) throw new Error('There are too many.');
  return loaded;
}
