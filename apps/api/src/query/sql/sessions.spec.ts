import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, session, type SqlDatabase } from '@test/query/sql-database';
import type { QueryContext } from '../declaration/query-context';
import { countedSessionsIn, hitsSql, sessionsIn } from './sessions';

describe('the sessions of a website', () => {
  it('are those with a hit in the span', async () =>
    expect(await namesOf(sessionsIn(queryContext(), queryContext()))).toEqual(['across', 'early', 'silent', 'within']));

  it('are looked for since the first day of which sessions may reach into the span', async () => {
    const sealed = { website: 1, day: '2026-03-01', last_at: '2026-03-02T00:00:00Z' };
    await on.insert(sessionDays, [{ ...sealed, day: '2026-02-01', last_at: '2026-02-02T00:00:00Z' }, sealed]);
    await on.run(sql`update websites_v1.session_day_states set is_sealed = true`);
    expect(await namesOf(sessionsIn(queryContext(), queryContext()))).toContain('early');
    await on.run(sql`delete from websites_v1.session_days where day = '2026-03-01'`);
    expect(await namesOf(sessionsIn(queryContext(), queryContext()))).not.toContain('early'); // as the day has none that reach so far
    await on.run(sql`update websites_v1.session_day_states set is_sealed = false`);
  });

  it('are counted by their first page view', async () =>
    expect(await namesOf(countedSessionsIn(queryContext()))).toEqual(['across', 'within']));

  it('are selected by attributes of their first page view', async () => {
    expect(await namesOf(sessionsIn(by('country', [7]), queryContext()))).toEqual(['within']);
    expect(await namesOf(sessionsIn(by('country', [7], true), queryContext()))).toEqual(['across', 'early']);
  });

  it('are counted when a page view is selected by its path or query', async () => {
    expect(await namesOf(countedSessionsIn(by('path', [3])))).toEqual(['across']);
    expect(await namesOf(countedSessionsIn(by('path', [3], true)))).toEqual(['across', 'within']);
    expect(await namesOf(countedSessionsIn(by('query_string', [9])))).toEqual(['within']);
    expect(await namesOf(countedSessionsIn(by('hostname', [8])))).toEqual(['across']);
  });
});

describe('the hits of sessions', () => {
  it('are those in the span, of the wanted kind', async () => {
    expect(await pathsOf(hitsSql(queryContext(), queryContext(), ALL))).toEqual([1, 2, 2, 3, 6]);
    expect(await pathsOf(hitsSql(queryContext(), queryContext(), { ...ALL, kind: sql`h.kind = 3` }))).toEqual([2, 6]);
  });

  it('are those of some sessions alone', async () => {
    const wanted = { ...ALL, where: sql` and s.country = 7` };
    expect(await pathsOf(hitsSql(queryContext(), queryContext(), wanted))).toEqual([1, 2]);
  });

  it('are selected by their path and host; a query string is that of a page view', async () => {
    expect(await pathsOf(hitsSql(by('path', [2, 3]), queryContext(), ALL))).toEqual([2, 2, 3]);
    expect(await pathsOf(hitsSql(by('query_string', [9]), queryContext(), ALL))).toEqual([1]);
    expect(await pathsOf(hitsSql(by('query_string', [9], true), queryContext(), ALL))).toEqual([2, 2, 3, 6]);
    expect(await pathsOf(hitsSql(by('hostname', [8]), queryContext(), ALL))).toEqual([2, 3]);
    expect(await pathsOf(hitsSql(by('hostname', [8], true), queryContext(), ALL))).toEqual([1, 2, 6]);
  });
});

const by = (field: string, values: number[], negated = false): QueryContext =>
  queryContext({ filters: [{ field, values, negated }] });

const ALL = { kind: sql`true`, of: sql`s.session`, columns: ['path'] as const, where: emptySql };

/** The index of a session's name is its `screen`, which no fragment reads. */
const NAMES = ['within', 'across', 'early', 'silent', 'other'];
const namesOf = async (from: Sql): Promise<unknown[]> =>
  (await on.run(sql`select s.screen from ${from}`)).map(({ screen }) => NAMES[Number(screen)]).sort();

const pathsOf = async (hits: Sql): Promise<unknown[]> =>
  (await on.run(sql`select h.path from ${hits}`)).map(({ path }) => path).sort();

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const within = session(
    [
      { at: '2026-03-02T10:00:00Z', path: 1, textId: 9 },
      { at: '2026-03-02T10:01:00Z', path: 2, kind: 'custom', textId: 9, hostname: 8 },
    ],
    { country: 7, screen: 0 },
  );
  const across = session(
    [
      { at: '2026-03-04T23:59:00Z', path: 3, hostname: 8 },
      { at: '2026-03-05T00:00:00Z', path: 4 },
    ],
    { screen: 1 },
  );
  const early = session(
    [
      { at: '2026-03-01T23:59:00Z', path: 5 },
      { at: '2026-03-02T00:00:00Z', path: 2 },
    ],
    { screen: 2 },
  );
  const silent = session([{ at: '2026-03-03T00:00:00Z', path: 6, kind: 'custom' }], { screen: 3 });
  const other = session([{ at: '2026-03-03T00:00:00Z', path: 7 }], { website: 2, screen: 4 });
  await on.insert(sessions, [within, across, early, silent, other]);
  await on.insert(sessionDayStates, [{ website: 1, day: '2026-03-01', changed_at: '2026-03-02T00:00:00Z' }]); // open: perhaps sessions reach over its end
});
afterAll(() => on.close());
