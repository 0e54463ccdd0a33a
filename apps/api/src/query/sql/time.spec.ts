import type { ValueFilter } from '@ledgerline/aggregation/scope';
import { linkClicks, linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/time-blocks';
import { spanOf } from '@ledgerline/domain/query/buckets';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { bucketNumberSql, clicksIn, inBlocks } from './time';

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
    const numbered = sql`select ${bucketNumberSql(queryContext(), sql`i`)} as bucket from unnest(${instants}::timestamptz[]) i`;
    expect(await on.run(numbered)).toEqual([null, 1, 2, 3, null].map((bucket) => ({ bucket })));
  });

  it('have all passes of an hour that clocks repeat in part', async () => {
    const day = { startDate: '2026-04-05', endDate: '2026-04-05' };
    const context = queryContext({ ...day, zone: 'Pacific/Chatham', granularity: 'hourly' });
    const instants = ['12:59', '13:59', '14:00', '14:15', '15:15'].map((time) => new Date(`2026-04-04T${time}Z`));
    const numbered = sql`select ${bucketNumberSql(context, sql`i`)} as bucket from unnest(${instants}::timestamptz[]) i`;
    expect(await on.run(numbered)).toEqual([3, 4, 3, 4, 5].map((bucket) => ({ bucket })));
  });
});

describe('the clicks of a link', () => {
  it('are those of a span, its end excluded', async () => expect(await countriesOf([])).toEqual(['', 'DE', 'FR']));

  it('pass every filter; the empty text is the missing value', async () => {
    expect(await countriesOf([{ field: 'country', values: ['DE', ''], negated: false }])).toEqual(['', 'DE']);
    expect(await countriesOf([{ field: 'country', values: ['DE'], negated: true }])).toEqual(['', 'FR']);
    const both = [
      { field: 'country', values: ['DE', 'FR'], negated: false },
      { field: 'city', values: [''], negated: true },
    ];
    expect(await countriesOf(both)).toEqual(['FR']);
  });
});

describe('the blocks of a link', () => {
  it('make up the stretches of each bucket without overlap', async () => {
    const hours = (bucket: number, from: string, to: string) => ({
      bucket,
      from: Date.parse(`${from}Z`),
      to: Date.parse(`${to}Z`),
    });
    const stretches = [
      hours(1, '2026-03-01T18:00', '2026-03-04T06:15'),
      hours(2, '2026-03-02T00:00', '2026-03-03T00:00'),
      hours(3, '2026-03-02T00:15', '2026-03-02T00:45'),
      hours(2, '2026-03-03T00:00', '2026-03-03T00:15'),
      hours(4, '2026-03-02T00:15', '2026-03-02T00:15'),
    ];
    const blocks = inBlocks(queryContext(), linkClicks15min, stretches, { columns: sql`clicks` });
    expect(await on.run(sql`select bucket, sum(clicks)::int as clicks from ${blocks} group by 1 order by 1`)).toEqual([
      { bucket: 1, clicks: 4 * (6 + 24 + 24 + 6) + 1 },
      { bucket: 2, clicks: 96 + 1 },
      { bucket: 3, clicks: 2 },
    ]);
  });

  it('can be narrowed', async () => {
    const some = { columns: sql`clicks`, also: sql` and clicks > 1` };
    const blocks = inBlocks(queryContext(), linkClicks15min, [queryContext()], some);
    expect(await on.run(sql`select clicks::int from ${blocks}`)).toEqual(Array(3).fill({ clicks: 96 }));
  });
});

async function countriesOf(filters: ValueFilter[]): Promise<unknown[]> {
  const clicks = clicksIn(queryContext({ filters }), queryContext());
  return (await on.run(sql`select country from ${clicks} order by country`)).map(({ country }) => country);
}

const at = (hour: string): number => Date.parse(`2026-03-${hour}:00:00Z`);

const MINUTES_15 = 15 * 60_000;

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  const click = { link_id: 'link_1', at: '2026-03-02T00:00:00Z' };
  await on.insert(linkClicks, [
    click,
    { ...click, country: 'DE' },
    { ...click, country: 'FR', city: 'FR\u001fParis', at: '2026-03-04T23:59:59.999Z' },
    { ...click, country: 'US', at: '2026-03-05T00:00:00Z' },
    { ...click, country: 'US', at: '2026-03-01T23:59:59.999Z' },
    { ...click, country: 'US', link_id: 'link_2' },
  ]);
  const from = Date.parse('2026-03-01T00:00:00Z');
  const to = Date.parse('2026-03-06T00:00:00Z');
  for (const span of [1, INTERVALS_PER_DAY]) {
    for (let at = from; at < to; at += span * MINUTES_15) {
      await on.insert(linkClicks15min, [{ link_id: 'link_1', span, start_15min: new Date(at), clicks: span }]);
    }
  }
});
afterAll(() => on.close());
