import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { queryContext } from '@test/query/sql-database';
import { count, nullableField, ratio, textField, roundEstimates } from '../declaration/fields';
import type { QueryContext } from '../declaration/query-context';
import { byCounts, queryType } from '../declaration/query-type';
import { CATALOGUE, queryTypeNamed } from '../types/catalogue';
import { pageOfRows } from './answer';
import { withComparison } from './comparison';

describe('the page of', () => {
  it('a list is counted from its first row', async () => {
    const rows = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    expect(await page('page_performance', rows, { page: { page: 2, limit: 2 } })).toEqual([{ name: 'c' }]);
  });

  it('a series with a limit is counted from its newest row', async () => {
    const limited = { isLimited: true, page: { page: 1, limit: 2 } };
    expect(await page('sessions_time_series', DAYS, limited)).toEqual(DAYS.slice(1));
    const second = { isLimited: true, page: { page: 2, limit: 2 } };
    expect(await page('sessions_time_series', DAYS, second)).toEqual(DAYS.slice(0, 1));
  });

  it('a series without a limit is page 1, and no other', async () => {
    expect(await page('sessions_time_series', DAYS, { page: { page: 1, limit: 2 } })).toEqual(DAYS);
    expect(await page('sessions_time_series', DAYS, { page: { page: 2, limit: 2 } })).toEqual([]);
    const sorted = { sort: { field: 'date', direction: 'desc' as const }, page: { page: 2, limit: 2 } };
    expect(await page('sessions_time_series', DAYS, sorted)).toEqual([]);
  });

  it('totals is page 1, and no other', async () => {
    expect(await page('summary_metrics', [{ sessions: 1 }])).toEqual([{ sessions: 1 }]);
    expect(await page('summary_metrics', [{ sessions: 1 }], { page: { page: 2, limit: 100 } })).toEqual([]);
  });

  it('realtime_velocity is counted from its newest minute', async () => {
    const minutes = [{ minute: '10:00' }, { minute: '10:01' }, { minute: '10:02' }];
    const of = (number: number) => page('realtime_velocity', minutes, { page: { page: number, limit: 2 } });
    expect([await of(1), await of(2), await of(3)]).toEqual([minutes.slice(1), minutes.slice(0, 1), []]);
  });

  it.each([
    ['session_duration_distribution', 'duration_range', ['0-10s', '30-60s', '3-10m', '10-30m', '30m+']],
    ['scroll_depth_distribution', 'depth_range', ['0-25%', '75-100%', '100%']],
  ])('%s is sorted by %s as the ranges follow each other', async (name, field, ranges) => {
    const rows = [...ranges].sort().map((range) => ({ [field]: range }));
    const sorted = async (direction: 'asc' | 'desc') =>
      (await page(name, rows, { sort: { field, direction } })).map((row) => row[field]);
    expect(await sorted('asc')).toEqual(ranges);
    expect(await sorted('desc')).toEqual([...ranges].reverse());
  });
});

const page = (name: string, rows: readonly AnswerRow[], context: Partial<QueryContext> = {}) =>
  pageOfRows(queryTypeNamed(name)!, queryContext(context), rows);

const DAYS = [{ date: '2026-03-02' }, { date: '2026-03-03' }, { date: '2026-03-04' }];

describe('figures that are not exact', () => {
  it('are rounded to three significant digits, and others are not', async () => {
    const row = (median: number | null) => ({ sessions: 123_456, bounce_rate: 33.33, median_session_duration: median });
    const medians = [83.456, 0.012345, 1234.5, 0, null];
    const rows = await roundEstimates(queryTypeNamed('summary_metrics')!, medians.map(row));
    expect(rows).toEqual([83.5, 0.0123, 1230, 0, null].map(row));
  });

  it('are the medians and percentiles of all types', () => {
    const isMedian = (name: string) => /^(median_(?!seconds$)|p\d\d$)/.test(name); // of funnels it is exact
    for (const { name, fields } of CATALOGUE) {
      const estimates = Object.keys(fields).filter((field) => fields[field]?.accuracy !== undefined);
      expect([name, estimates]).toEqual([name, Object.keys(fields).filter(isMedian)]);
    }
  });
});

const DECLARED = {
  name: 'clicked',
  category: 'Test',
  description: 'A list with a text that does not identify its rows',
};

const list = queryType({
  ...DECLARED,
  shape: 'list',
  fields: { href: textField, latest: textField, clicks: count, depth: nullableField(ratio) },
  order: byCounts(['clicks'], 'href'),
});
const series = queryType({ ...DECLARED, shape: 'series', fields: { date: textField, clicks: count } });

describe('rows compared with an earlier range', () => {
  it('have the figures of the row with the same labels', async () =>
    expect(
      await withComparison(
        list,
        [
          { href: '/a', latest: 'new', clicks: 3, depth: 1.5 },
          { href: '/b', latest: 'b', clicks: 1, depth: null },
        ],
        [
          { href: '/b', latest: 'b', clicks: 4, depth: 2 },
          { href: '/a', latest: 'old', clicks: 2, depth: null },
        ],
      ),
    ).toEqual([
      {
        href: '/a',
        latest: 'new',
        clicks: 3,
        depth: 1.5,
        previous: { clicks: 2, depth: null },
        change_percent: { clicks: 50, depth: null },
      },
      {
        href: '/b',
        latest: 'b',
        clicks: 1,
        depth: null,
        previous: { clicks: 4, depth: 2 },
        change_percent: { clicks: -75, depth: null },
      },
    ]));

  it('have zeros where nothing was before, and no change', async () =>
    expect((await withComparison(list, [{ href: '/a', latest: '', clicks: 3, depth: 1 }], []))[0]).toMatchObject({
      previous: { clicks: 0, depth: null },
      change_percent: { clicks: null, depth: null },
    }));

  it('of a series have those of the bucket at the same place, whatever its date', async () =>
    expect(
      await withComparison(
        series,
        [
          { date: '2026-03-01', clicks: 2 },
          { date: '2026-03-02', clicks: 2 },
        ],
        [{ date: '2025-03-01', clicks: 4 }],
      ),
    ).toMatchObject([
      { previous: { clicks: 4 }, change_percent: { clicks: -50 } },
      { previous: { clicks: 0 }, change_percent: { clicks: null } },
    ]));
});
