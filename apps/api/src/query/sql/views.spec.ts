import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, session, type SqlDatabase } from '@test/query/sql-database';
import type { QueryContext } from '../query-type';
import { singleGroup } from './ranked';
import { actionsIn, pageViews, sessionsByPage, viewsByAttribute, viewsByGroup, viewsByPath } from './views';

describe('page views', () => {
  it('are all that lie in the span, with their distinct visitors', async () =>
    expect(await counted(viewsByGroup(pageViews(queryContext(), queryContext(), singleGroup)))).toEqual({ 0: [8, 4] }));

  it('are counted by path, whatever session they lie in', async () =>
    expect(await counted(viewsByPath(queryContext()))).toEqual({ 1: [4, 3], 2: [2, 1], 3: [1, 1], 4: [1, 0] }));

  it('are counted by an attribute of their session, without those in none', async () =>
    expect(await counted(viewsByAttribute('country')(queryContext()))).toEqual({ 0: [3, 2], 7: [4, 2] }));

  it('are those that filters select', async () => {
    expect(await counted(viewsByPath(by('path', [2])))).toEqual({ 2: [2, 1] });
    expect(await counted(viewsByPath(by('country', [7])))).toEqual({ 1: [2, 2], 2: [2, 1] });
    expect(await counted(viewsByAttribute('country')(by('path', [1])))).toEqual({ 0: [2, 1], 7: [2, 2] });
  });
});

describe('sessions by page', () => {
  it('are counted where they enter and where they leave', async () => {
    expect(await counted(sessionsByPage('entry_path')(queryContext()))).toEqual({ 1: [3, 3] });
    expect(await counted(sessionsByPage('exit_path')(queryContext()))).toEqual({ 1: [1, 1], 2: [1, 1], 9: [1, 1] });
  });
});

describe('actions', () => {
  it('are the custom events and outgoing links of the span', async () =>
    expect(await on.run(sql`select (${actionsIn(queryContext(), queryContext())})::int as actions`)).toEqual([
      { actions: 3 },
    ]));

  it('are those of a path where that is asked for', async () => {
    const ofPath = actionsIn(by('path', [2]), queryContext());
    expect(await on.run(sql`select (${ofPath})::int as actions`)).toEqual([{ actions: 1 }]);
  });
});

const by = (field: string, values: number[]): QueryContext =>
  queryContext({ filters: [{ field, values, negated: false }] });

/** Rows of (grouped, pageviews, visitors), by group. */
async function counted(rows: Sql): Promise<Record<string, [number, number]>> {
  const found = await on.run(sql`select grouped, pageviews::int, visitors::int from (${rows}) counted`);
  return Object.fromEntries(
    found.map(({ grouped, pageviews, visitors }) => [String(grouped), [Number(pageviews), Number(visitors)]]),
  );
}

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const three = session(
    [
      { at: '2026-03-02T10:00:00Z', path: 1 },
      { at: '2026-03-02T10:01:00Z', path: 2 },
      { at: '2026-03-02T10:02:00Z', path: 2, kind: 'custom' },
      { at: '2026-03-02T10:03:00Z', path: 2 },
    ],
    { country: 7 },
  );
  const one = session([{ at: '2026-03-03T10:00:00Z', path: 1 }], { country: 7 });
  const acrossEnd = session([
    { at: '2026-03-04T23:58:00Z', path: 1 },
    { at: '2026-03-04T23:58:30Z', path: 1 },
    { at: '2026-03-04T23:59:00Z', path: 1, kind: 'outgoing' },
    { at: '2026-03-05T00:00:00Z', path: 9 },
    { at: '2026-03-05T00:01:00Z', path: 9, kind: 'outgoing' },
  ]);
  const acrossStart = session([
    { at: '2026-03-01T23:59:00Z', path: 9 },
    { at: '2026-03-02T00:00:00Z', path: 3 },
    { at: '2026-03-02T00:01:00Z', path: 3, kind: 'custom' },
  ]);
  const inNoSession = session([{ at: '2026-03-03T12:00:00Z', path: 4 }], { visitor: null, entered_at: null, kind: 2 });
  await on.insert(sessions, [three, one, acrossEnd, acrossStart, inNoSession]);
});
afterAll(() => on.close());
