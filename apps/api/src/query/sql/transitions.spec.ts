import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { counting } from '@test/query/answer-type';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { findRows } from '../execution/find-rows';
import { pageOfRows } from '../execution/answer';
import type { QueryContext } from '../query-type';
import { RequestCounts } from '../session-columns/request-counts';
import { sessionFlow } from '../types/website/session-counts.query-type';

describe('steps between pages', () => {
  it('are added up over blocks, without the days that a block has too many', async () => {
    const rare = [step('/a', '/a', 1, 1), step('/b', '/a', 1, 1), step('/b', '/b', 1, 1)];
    const latestDay = dayNumber('2026-03-08');
    expect(await answer({ startDate: '2026-03-01', endDate: '2026-03-08', latestDay })).toEqual({
      total: 5,
      rows: [step('/a', '/b', 6, 4), step('/b', '/c', 3, 1), ...rare],
    });
  });

  it('are cut after those that come first by their texts', async () => {
    const first = [step('/a', '/b', 5, 3), step('/a', '/a', 1, 1)];
    expect(await answer({ page: { page: 1, limit: 2 } })).toEqual({ total: 4, rows: first });
    const second = [step('/b', '/a', 1, 1), step('/b', '/b', 1, 1)];
    expect(await answer({ page: { page: 2, limit: 2 } })).toEqual({ total: 4, rows: second });
    expect(await answer({ page: { page: 3, limit: 2 } })).toEqual({ total: 4, rows: [] });
  });

  it('are at least so many where only those that may be on the page are added up', async () => {
    const first = [step('/a', '/b', 5, 3)];
    expect(await answer({ page: { page: 1, limit: 1 } })).toEqual({ total: 3, rows: first });
  });

  it('become rows only where they may be on the page', async () => {
    const { rows } = await find({ page: { page: 1, limit: 1 } });
    expect(rows).toEqual([step('/a', '/b', 5, 3)]);
  });

  it('are all counted in another order too', async () => {
    const sort = { field: 'to_path', direction: 'desc' as const };
    const rows = [step('/a', '/b', 5, 3), step('/b', '/b', 1, 1), step('/a', '/a', 1, 1)];
    expect(await answer({ page: { page: 1, limit: 3 }, sort })).toEqual({ total: 4, rows });
  });
});

type Entry = readonly [to: number, count: number];

let database: SqlDatabase;
beforeAll(async () => {
  database = await openSqlDatabase();
  const [c = 0, b = 0, a = 0] = await database.texts(['/c', '/b', '/a']);
  const row = (span: number, day: string, from_path: number, steps: readonly Entry[], repeated = 0) => ({
    ...{ website: 1, span, day, from_path, repeated },
    steps: steps.map(([to, count]) => BigInt(to) * 2n ** 32n + BigInt(count)),
    taken: steps.reduce((sum, [, count]) => sum + count, 0),
  });
  await database.insert(pageTransitions, [
    row(1, '2026-02-28', a, [
      [c, 1],
      [b, 1],
    ]),
    row(1, '2026-03-05', a, [
      [b, 3],
      [a, 1],
    ]),
    row(1, '2026-03-05', a, [[b, 2]], 1),
    row(1, '2026-03-05', b, [
      [b, 1],
      [a, 1],
    ]),
    row(8, '2026-02-28', a, [
      [c, 1],
      [b, 4],
      [a, 1],
    ]),
    row(8, '2026-02-28', a, [[b, 2]], 1),
    row(8, '2026-02-28', b, [
      [b, 1],
      [a, 1],
    ]),
    { ...row(1, '2026-03-05', a, [[b, 9]]), website: 2 },
  ]);
  const latest = { website: 1, day: '2026-03-08', from_path: a, transitions: 1, sessions: 1 };
  await database.insert(latestTransitions, [
    { ...latest, to_path: b },
    { ...latest, to_path: b, website: 2 },
    { ...latest, to_path: c, from_path: b, transitions: 3 },
  ]);
});
afterAll(() => database.close());

const step = (from_path: string, to_path: string, transitions: number, sessions: number) => ({
  ...{ from_path, to_path, transitions, sessions },
});

/** Of one day, unless something else is given. */
const contextOf = (given: Partial<QueryContext>) =>
  queryContext({ startDate: '2026-03-05', endDate: '2026-03-05', ...given });

function find(given: Partial<QueryContext>) {
  const counts = new RequestCounts({ ...counting(), client: database.pool }, []);
  const origin = { main: database.pool, counts, source: 'days' as const };
  return findRows(database.pool, sessionFlow, contextOf(given), origin);
}

async function answer(given: Partial<QueryContext>) {
  const { rows, total } = await find(given);
  return { total, rows: await pageOfRows(sessionFlow, contextOf(given), rows) };
}
