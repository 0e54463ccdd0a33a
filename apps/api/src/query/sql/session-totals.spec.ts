import { COARSE } from '@ledgerline/contracts/read-models/blocks';
import {
  sessionDurations,
  websiteDaily,
  websiteHourly,
  websiteVisitors,
} from '@ledgerline/contracts/read-models/website-totals';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import {
  medianBins,
  averageDuration,
  bounceRate,
  medianDuration,
  totalsByDay,
  totalsByHour,
  totalsWithMediansByDay,
} from './session-totals';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { emptyRow, type SqlRow } from '../sql-row';
import { distinctCount } from './rollups';

describe('a median', () => {
  it.each<[string, Record<string, number>]>([
    ['of one session', { 40: 1 }],
    ['of an even number is the lower one', { 3: 1, 5: 1, 70: 1, 71: 1 }],
    ['of many equal ones', { 3: 2, 64: 9, 65: 1 }],
    ['between two coarse bins', { 31: 2, 32: 2 }],
  ])('%s lies in the bin of the value in the middle', async (_, counts) => {
    website += 1;
    await insert('2026-03-02', counts);
    const [row] = await on.run(medianBins(queryContext({ website }), { grouped: sql`0`, where: sql`true` }));
    expect(row?.['median_bin']).toBe(middleOf(counts));
  });

  it('is that of each group, over all of its days', async () => {
    website += 1;
    await insert('2026-03-02', { 1: 3, 100: 1 });
    await insert('2026-03-03', { 100: 3 });
    await insert('2026-03-04', { 200: 1 });
    const grouped = sql`case when day < '2026-03-04' then 1 else 2 end`;
    const rows = await on.run(medianBins(queryContext({ website }), { grouped, where: sql`true` }));
    expect(Object.fromEntries(rows.map(({ grouped, median_bin }) => [grouped, median_bin]))).toEqual({
      1: 1 + 99,
      2: 200,
    });
  });

  it('is none without sessions', async () => {
    const none = medianBins(queryContext({ website: 1_000 }), { grouped: sql`0`, where: sql`true` });
    expect(await on.run(none)).toEqual([]);
  });
});

function middleOf(counts: Readonly<Record<string, number>>): number | undefined {
  const bins = Object.entries(counts).flatMap(([bin, count]) => Array<number>(count).fill(Number(bin)));
  return bins[Math.floor((bins.length - 1) / 2)];
}

async function insert(day: string, counts: Readonly<Record<string, number>>): Promise<void> {
  const coarse = new Map<number, number>();
  for (const [bin, sessions] of Object.entries(counts)) {
    const first = Math.floor(Number(bin) / COARSE) * COARSE;
    coarse.set(first, (coarse.get(first) ?? 0) + sessions);
    await on.insert(sessionDurations, [{ website, width: 1, day, bin: Number(bin), sessions }]);
  }
  for (const [bin, sessions] of coarse)
    await on.insert(sessionDurations, [{ website, width: COARSE, day, bin, sessions }]);
}

let website = 1;

describe('the totals of sessions', () => {
  it('are added up by day and by hour', async () => {
    expect(byBucket(await on.run(totalsByDay(queryContext())))).toMatchObject({
      1: { sessions: 2 },
      3: { sessions: 5 },
    });
    const hourly = queryContext({ granularity: 'hourly' });
    expect(byBucket(await on.run(totalsByHour(hourly)))).toMatchObject({ 11: { sessions: 2 }, 72: { sessions: 4 } });
  });

  it('have no median on a day without durations', async () =>
    expect(byBucket(await on.run(totalsWithMediansByDay(queryContext())))).toMatchObject({ 1: { median_bin: null } }));

  it('have the distinct visitors of all days together', async () =>
    expect(
      await on.run(sql`select (${distinctCount(queryContext(), websiteVisitors, { column: 'visitors' })}) as visitors`),
    ).toEqual([{ visitors: 4 }]));
});

describe('the values of sessions', () => {
  it('are none without sessions', () => {
    expect([bounceRate, medianDuration, averageDuration].map((valueIn) => valueIn(emptyRow()))).toEqual([
      0,
      null,
      null,
    ]);
  });

  it('are a percentage and seconds', () => {
    expect(bounceRate({ bounces: 1, sessions: 3 })).toBe(33.33);
    expect(averageDuration({ sessions: 2, duration_ms: 3_001 })).toBe(1.5005);
    expect(medianDuration({ median_ms: 1_234 })).toBe(1.234);
    expect(medianDuration({ median_bin: 0 })).toBe(0);
  });
});

const byBucket = (rows: readonly SqlRow[]): Record<string, SqlRow> =>
  Object.fromEntries(rows.map((row) => [String(row['bucket']), row]));

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  await on.insert(websiteDaily, [
    { website: 1, day: '2026-03-02', sessions: 2 },
    { website: 1, day: '2026-03-04', sessions: 5 },
    { website: 1, day: '2026-03-05', sessions: 9 },
    { website: 2, day: '2026-03-02', sessions: 9 },
  ]);
  await on.insert(websiteHourly, [
    { website: 1, hour: '2026-03-02T10:00:00Z', sessions: 2 },
    { website: 1, hour: '2026-03-04T23:00:00Z', sessions: 4 },
    { website: 1, hour: '2026-03-05T00:00:00Z', sessions: 9 },
  ]);
  await on.insert(websiteVisitors, [
    { website: 1, span: 1, day: '2026-03-02', previous_day: NEVER, visitors: 3 },
    { website: 1, span: 1, day: '2026-03-03', previous_day: NEVER, visitors: 2 },
    { website: 1, span: 1, day: '2026-03-03', previous_day: '2026-03-02', visitors: 1 },
    { website: 1, span: 1, day: '2026-03-03', previous_day: '2026-03-01', visitors: 1 },
  ]);
});
afterAll(() => on.close());
