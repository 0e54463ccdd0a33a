import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { distinctOf, listByDays, sumsOf, type RollupList } from './lists';
import { distinctCount } from './rollups';

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

  it('has the sum of a count over all rows, or another figure', async () => {
    const page = { page: 1, limit: 1 };
    expect(await rowsOf({ page }, { whole: 'sum' })).toMatchObject([{ pageviews: 8, whole: 20 }]);
    const whole: RollupList['whole'] = (context) => distinctCount(context, topPages, { column: 'visitors' });
    expect(await rowsOf({ page }, { whole })).toMatchObject([{ pageviews: 8, whole: 6 }]);
  });
});

const BY_VIEWS = { top: sumsOf(topPages, 'pageviews'), parts: [distinctOf(topPages, 'visitors', 'visitors')] };

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const [second, third, fourth, fifth] = await on.texts(['/second', '/third', '/fourth', '/fifth']);
  const day = { website: 1, span: 1, day: '2026-03-02', previous_day: NEVER };
  await on.insert(topPages, [
    { ...day, value: EVERY_VALUE, pageviews: 20, visitors: 6 },
    { ...day, value: 0, pageviews: 8, visitors: 4 },
    { ...day, value: second, pageviews: 5, visitors: 2 },
    { ...day, value: third, pageviews: 5, visitors: 2 },
    { ...day, value: fourth, pageviews: 1, visitors: 1 },
    { ...day, value: fifth, pageviews: 1, visitors: 1 },
  ]);
});
afterAll(() => on.close());
