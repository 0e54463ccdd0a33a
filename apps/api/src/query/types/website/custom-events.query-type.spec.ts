import { customEvents } from '@ledgerline/contracts/read-models/website-facts';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { pageOfRows } from '../../execution/answer';
import { sqlFor } from '../../execution/run-sql';
import { customEventProperties } from './custom-events.query-type';

describe('a property of custom events', () => {
  it('has count, sum and average of its numbers beside each of its values', async () => {
    await send(
      '2026-03-01',
      { amount: 0.1, plan: 'pro' },
      { amount: 0.2 },
      { amount: 0.2 },
      { amount: '7' },
      { amount: null },
    );
    const numbers = { numeric_count: 3, numeric_sum: 0.5, numeric_average: 0.5 / 3 };
    const none = { numeric_count: 0, numeric_sum: null, numeric_average: null };
    const row = (property_key: string, property_value: string, count: number) => ({
      property_key,
      property_value,
      count,
    });
    expect(await rowsOf('2026-03-01')).toEqual([
      { ...row('amount', '0.2', 2), ...numbers },
      { ...row('amount', '0.1', 1), ...numbers },
      { ...row('amount', '7', 1), ...numbers },
      { ...row('amount', 'null', 1), ...numbers },
      { ...row('plan', 'pro', 1), ...none },
    ]);
  });

  it('adds up decimals exactly', async () => {
    await send('2026-03-02', ...Array.from({ length: 10 }, () => ({ of: 0.1 })), { of: 0.2 });
    expect(await rowsOf('2026-03-02')).toMatchObject([{ numeric_sum: 1.2 }, { numeric_sum: 1.2 }]);
    await send('2026-03-03', { of: 0.1 }, { of: 0.2 }, { of: 0 });
    expect((await rowsOf('2026-03-03'))[0]).toMatchObject({ numeric_sum: 0.3, numeric_average: 0.1 });
  });

  it('has the sum of all values, whichever are on the page', async () => {
    await send('2026-03-04', { of: 1 }, { of: 1 }, { of: 2 });
    const page = { page: 1, limit: 1 };
    expect(await rowsOf('2026-03-04', page)).toMatchObject([{ property_value: '1', numeric_count: 3, numeric_sum: 4 }]);
  });

  it('has no sum where that is no number of JSON, and an average of the smallest', async () => {
    await send('2026-03-05', { of: Number.MAX_VALUE }, { of: 1e308 });
    expect((await rowsOf('2026-03-05'))[0]).toMatchObject({ numeric_count: 2, numeric_sum: null });
    await send('2026-03-06', { of: Number.MIN_VALUE }, { of: 0 }, { of: 0 });
    expect((await rowsOf('2026-03-06'))[0]).toMatchObject({ numeric_count: 3, numeric_average: 0 });
  });
});

let on: SqlDatabase;
let paid = 0;
beforeAll(async () => {
  on = await openSqlDatabase();
  [paid = 0] = await on.texts(['paid']);
});
afterAll(() => on.close());

const send = (day: string, ...properties: readonly object[]): Promise<void> =>
  on.insert(
    customEvents,
    properties.map((each) => ({ website: 1, at: `${day}T10:00:00Z`, name: paid, properties: JSON.stringify(each) })),
  );

async function rowsOf(day: string, page = { page: 1, limit: 100 }) {
  const context = queryContext({ startDate: day, endDate: day, page });
  const rows = (await on.run(sqlFor(customEventProperties, context, 'facts'))).map((found) =>
    customEventProperties.row(found),
  );
  return (await pageOfRows(customEventProperties, context, rows)).map((row) => ({ ...row, name: undefined }));
}
