import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { OF_ALL_VISITORS } from '../share';
import { distinctOf, listByDays, sumsOf } from './lists';

const COUNTS = ['pageviews', 'visitors'];
const rowsOf = (given: Parameters<typeof queryContext>[0], more = {}) =>
  on.run(listByDays({ ...BY_VIEWS, ...more }, COUNTS, queryContext(given)));

describe('a list of the days of a range', () => {
  it('has the first rows by their counts, with all that equal the last, and how many there are', async () => {
    const page = { page: 1, limit: 2 };
    expect(await rowsOf({ page })).toEqual([
      { text: '', pageviews: 8, visitors: 4, total_rows: 5 },
      { text: '/second', pageviews: 5, visitors: 2, total_rows: 5 },
      { text: '/third', pageviews: 5, visitors: 2, total_rows: 5 },
    ]);
  });

  it('has all rows when the request names an order of its own', async () =>
    expect(await rowsOf({ page: { page: 1, limit: 2 }, sort: { field: 'name', direction: 'asc' } })).toHaveLength(5));

  it('leaves the missing value out where that is no row', async () =>
    expect((await rowsOf({}, { withoutMissing: true })).map(({ text }) => text)).not.toContain(''));

  it('has what its rows are parts of: the sum of a count, or all visitors, of whom some are in several rows', async () => {
    const page = { page: 1, limit: 1 };
    expect(await rowsOf({ page }, { whole: 'sum' })).toMatchObject([{ pageviews: 8, whole: 20 }]);
    expect(await rowsOf({ page }, { whole: OF_ALL_VISITORS.of })).toMatchObject([{ pageviews: 8, whole: 6 }]);
  });
});

const BY_VIEWS = { top: sumsOf(topPages, 'pageviews'), parts: [distinctOf(topPages, 'visitors', 'visitors')] };

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const [second, third, fourth, fifth] = await on.texts(['/second', '/third', '/fourth', '/fifth']);
  const day = { website: 1, span: 1, day: '2026-03-02', previous_day: NEVER };
  await on.insert(topPages, [
    { ...day, value: EVERY_VALUE, pageviews: 20, visitors: 10 },
    { ...day, value: 0, pageviews: 8, visitors: 4 },
    { ...day, value: second, pageviews: 5, visitors: 2 },
    { ...day, value: third, pageviews: 5, visitors: 2 },
    { ...day, value: fourth, pageviews: 1, visitors: 1 },
    { ...day, value: fifth, pageviews: 1, visitors: 1 },
  ]);
  await on.insert(websiteVisitors, [{ ...day, visitors: 6 }]);
});
afterAll(() => on.close());
