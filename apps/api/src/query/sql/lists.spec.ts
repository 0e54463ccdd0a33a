import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { rankedRows } from './lists';
import { rankedByDays } from './rollups';

describe('ranked rows', () => {
  it('are the first by their counts, with all that equal the last, and the sum of all', async () => {
    const rows = await on.run(
      rankedRows(GROUPED, ['views', 'visitors'], 'visitors', queryContext({ page: FIRST_TWO })),
    );
    expect(rows.map(({ views, visitors, whole }) => [views, visitors, whole])).toEqual([
      [9, 3, 10],
      [5, 2, 10],
      [5, 2, 10],
    ]);
  });

  it('are all rows when the request names an order of its own', async () => {
    const context = queryContext({ page: FIRST_TWO, sort: { field: 'name', direction: 'asc' } });
    expect(await on.run(rankedRows(GROUPED, ['views', 'visitors'], 'visitors', context))).toHaveLength(5);
  });

  it('carry the text of their value; a missing one is empty', async () => {
    const grouped = sql`select * from (values (0, 2), (${ids[0]}::int, 1)) g (value, views)`;
    const rows = await on.run(rankedRows(grouped, ['views'], 'views', queryContext()));
    expect(rows.map(({ text }) => text)).toEqual(['', '/first']);
  });
});

describe('rows ranked from a rollup', () => {
  it('count the visitors of the page and of all values together', async () => {
    const page = { page: 1, limit: 1 };
    expect(await on.run(rankedByDays(queryContext({ page }), { ...BY_VIEWS, withoutMissing: false }))).toEqual([
      { text: '', pageviews: 8, visitors: 4, whole: 6, total_rows: 2 },
    ]);
  });

  it('leave out the missing value and its visitors', async () => {
    expect(await on.run(rankedByDays(queryContext(), { ...BY_VIEWS, withoutMissing: true }))).toEqual([
      { text: '/first', pageviews: 5, visitors: 2, whole: 2, total_rows: 1 },
    ]);
  });
});

const FIRST_TWO = { page: 1, limit: 2 };
const BY_VIEWS = { rollup: topPages, by: 'pageviews' as const };
const GROUPED = sql`select * from (values (11, 5, 2), (12, 9, 3), (13, 5, 1), (14, 5, 2), (15, 1, 2)) g (value, views, visitors)`;

let on: SqlDatabase;
let ids: number[];
beforeAll(async () => {
  on = await openSqlDatabase();
  ids = await on.texts(['/first']);
  const day = { website: 1, span: 1, day: '2026-03-02', previous_day: NEVER };
  await on.insert(topPages, [
    { ...day, value: EVERY_VALUE, pageviews: 13, visitors: 6 },
    { ...day, value: 0, pageviews: 8, visitors: 4 },
    { ...day, value: ids[0], pageviews: 5, visitors: 2 },
  ]);
});
afterAll(() => on.close());
