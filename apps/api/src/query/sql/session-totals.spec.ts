import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { websiteDaily, websiteHourly, websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, session, type SqlDatabase } from '@test/query/sql-database';
import { emptyRow, type SqlRow } from '../fields';
import {
  averageDuration,
  bounceRate,
  distinctVisitors,
  medianDuration,
  totalsByDay,
  totalsByHour,
  totalsWithMediansByDay,
} from './session-totals';
import { totalsFromFacts, totalsWithMediansFromFacts } from './session-totals-from-facts';

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
    expect(await on.run(sql`select (${distinctVisitors(queryContext())}) as visitors`)).toEqual([{ visitors: 4 }]));
});

describe('the totals of facts', () => {
  it('put page views in the bucket of each, and sessions in that of their first one', async () =>
    expect(byBucket(await on.run(totalsFromFacts(queryContext())))).toMatchObject({
      1: { pageviews: 3, visitors: 2, sessions: 2, bounces: 0, duration_ms: 60_000 + 120_000, session_events: 5 },
      2: { pageviews: 1, visitors: 1, sessions: null },
    }));

  it('are the same from every hit, of those that a filter of paths selects', async () => {
    const all = queryContext({ filters: [{ field: 'path', values: [99], negated: true }] });
    expect(await on.run(totalsFromFacts(all))).toEqual(await on.run(totalsFromFacts(queryContext())));
    const some = queryContext({ filters: [{ field: 'path', values: [2], negated: false }] });
    expect(byBucket(await on.run(totalsFromFacts(some)))).toMatchObject({
      1: { pageviews: 1, visitors: 1, sessions: 1 },
    });
  });

  it('have the lower median of each bucket', async () =>
    expect(byBucket(await on.run(totalsWithMediansFromFacts(queryContext())))).toMatchObject({
      1: { median_ms: 60_000 },
    }));
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
  await on.insert(sessions, [
    session([
      { at: '2026-03-02T10:00:00Z', path: 1 },
      { at: '2026-03-02T10:01:00Z', path: 2 },
      { at: '2026-03-02T10:01:30Z', path: 2, kind: 'custom' },
    ]),
    session([
      { at: '2026-03-02T23:59:00Z', path: 1 },
      { at: '2026-03-03T00:01:00Z', path: 1 },
    ]),
  ]);
});
afterAll(() => on.close());
