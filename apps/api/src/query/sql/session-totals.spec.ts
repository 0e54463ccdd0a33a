import {
  sessionDurations,
  websiteDaily,
  websiteHourly,
  websiteVisitors,
} from '@ledgerline/contracts/read-models/website-totals';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import {
  averageDuration,
  bounceRate,
  medianDuration,
  totalsByDay,
  totalsByHour,
  totalsWithDurationsByDay,
} from './session-totals';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { emptyRow, secondsOf, type SqlRow } from '../sql-row';
import { distinctCount } from './rollups';

describe('the totals of sessions', () => {
  it('are added up by day and by hour', async () => {
    expect(byBucket(await on.run(totalsByDay(queryContext())))).toMatchObject({
      1: { sessions: 2 },
      3: { sessions: 5 },
    });
    const hourly = queryContext({ granularity: 'hourly' });
    expect(byBucket(await on.run(totalsByHour(hourly)))).toMatchObject({ 11: { sessions: 2 }, 72: { sessions: 4 } });
  });

  it('have the durations of each day, or none', async () => {
    await on.insert(sessionDurations, [
      { website: 1, span: 1, day: '2026-03-04', bins: [3, 5, 70, 71].map((bin) => bin * 2 ** 32 + 1) },
    ]);
    const found = byBucket(await on.run(totalsWithDurationsByDay(queryContext())));
    expect(found).toMatchObject({ 1: { added_bins: null } });
    expect([1, 3].map((bucket) => medianDuration(found[bucket] ?? {}))).toEqual([null, secondsOf(binValue(5))]);
  });

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
    expect(medianDuration({ added_bins: null, subtracted_bins: null })).toBe(null);
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
