import { spanOf } from '@ledgerline/domain/query/series-stretches';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { bucketOf } from './series';

describe('the buckets of a series', () => {
  it('span its range', () => expect(spanOf(queryContext())).toEqual({ from: at('02T00'), to: at('05T00') }));

  it('end with the one that is now', () => {
    const context = queryContext({ now: at('03T12') });
    expect(spanOf(context)).toEqual({ from: at('02T00'), to: at('04T00') });
  });

  it('are none before the range begins', () => {
    const context = queryContext({ now: at('01T12') });
    expect(spanOf(context)).toEqual({ from: at('02T00'), to: at('02T00') });
  });

  it('are numbered from 1, and what lies before and after has no bucket', async () => {
    const instants = ['01T23', '02T00', '03T23', '04T00', '05T00'].map((hour) => new Date(at(hour)));
    const numbered = sql`select ${bucketOf(queryContext(), sql`i`)} as bucket from unnest(${instants}::timestamptz[]) i`;
    expect(await on.run(numbered)).toEqual([null, 1, 2, 3, null].map((bucket) => ({ bucket })));
  });

  it('have all passes of an hour that clocks repeat in part', async () => {
    const day = { startDate: '2026-04-05', endDate: '2026-04-05' };
    const context = queryContext({ ...day, zone: 'Pacific/Chatham', granularity: 'hourly' });
    const instants = ['12:59', '13:59', '14:00', '14:15', '15:15'].map((time) => new Date(`2026-04-04T${time}Z`));
    const numbered = sql`select ${bucketOf(context, sql`i`)} as bucket from unnest(${instants}::timestamptz[]) i`;
    expect(await on.run(numbered)).toEqual([3, 4, 3, 4, 5].map((bucket) => ({ bucket })));
  });
});

const at = (hour: string): number => Date.parse(`2026-03-${hour}:00:00Z`);

let on: SqlDatabase;
beforeAll(async () => (on = await openSqlDatabase()));
afterAll(() => on.close());
