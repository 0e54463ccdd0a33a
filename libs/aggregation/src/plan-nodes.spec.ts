import fc from 'fast-check';
import { positive } from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { rowsOfTable, selectedSessions, someRequest, tableOf, type SomeSession } from '@test/query/selected-sessions';
import { aggregate, type CountPlan, type ShareColumn } from './plan';
import { firstRows } from './tables';

const row = fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.integer({ min: 0, max: 2 }) });

it('the first rows are those of a sorted list, with all that equal the last one', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 7 }),
      (rows, page, limit) => {
        const columns = { a: Float64Array.from(rows, ({ a }) => a), b: Float64Array.from(rows, ({ b }) => b) };
        const compare = (x: { a: number; b: number }, y: typeof x) => y.a - x.a || y.b - x.b;
        const sorted = [...rows].sort(compare);
        const last = sorted[page * limit - 1];
        const expected = last ? sorted.filter((each) => compare(each, last) <= 0) : sorted;
        const found = rowsOfTable(firstRows({ size: rows.length, columns }, ['a', 'b'], page * limit));
        expect((found as typeof rows).toSorted(compare)).toEqual(expected);
      },
    ),
    { seed: 20_261_123 },
  );
});

it('all rows are wanted where no page is cut out', () => {
  const table = { size: 3, columns: { a: Float64Array.of(1, 2, 3) } };
  expect(firstRows(table, ['a'], Infinity)).toBe(table);
});

const request = someRequest();
const pages: CountPlan = {
  kind: 'rank',
  of: aggregate({ of: 'views', by: { value: 'path' }, measures: { views: 'count' } }),
  by: ['views'],
};

it('has what its rows are parts of: the sum of them, or visitors, of whom some are in several rows', () => {
  const of = aggregate({
    of: 'views',
    by: { value: 'path' },
    measures: { views: 'count', visitors: 'visitors' },
  });
  const views = [1, 2].map((path) => ({ path, at: 0 }));
  const sessions = selectedSessions([
    { visitor: 0, units: { views } },
    { visitor: 1, units: { views } },
  ]);
  const wholeOf = (share: ShareColumn) =>
    Array.from(tableOf({ kind: 'rank', of, by: ['views'], share }, { request, sessions }).columns['whole'] ?? []);
  expect(wholeOf({ column: 'views', of: 'sum' })).toEqual([4, 4]);
  const everyone = aggregate({ ...AGGREGATES.views, measures: { whole: 'visitors' } });
  expect(wholeOf({ column: 'visitors', of: everyone })).toEqual([2, 2]);
});

const span = fc.record({
  path: fc.integer({ min: 1, max: 3 }),
  rage_target: fc.integer({ min: 0, max: 3 }),
  rage_clicks: fc.integer({ min: 0, max: 2 }),
  form_fields: fc.integer({ min: 0, max: 1 }),
});

const { rollup: _, ...OF_RAGE } = AGGREGATES.rage_targets;

it('beside rows of pages are the texts of the greatest sum of times, all that are equally frequent', () => {
  const texts = {
    clicked: AGGREGATES.rage_targets,
    touched: {
      ...OF_RAGE,
      where: { all: [positive('rage_target'), positive('form_fields')] },
      measures: { times: 'count' },
    },
  } as const;
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      const views = [1, 2].map((path) => ({ path, at: 0 }));
      const sessions = selectedSessions([{ units: { views, spans } }]);
      const table = tableOf({ kind: 'mostFrequent', of: pages, texts }, { request, sessions });
      for (const [row, value] of (table.columns['value'] ?? []).entries()) {
        const here = spans.filter(({ path, rage_target }) => path === value && rage_target > 0);
        const most = (timesOf: (span: (typeof spans)[number]) => number) => {
          const sums = [1, 2, 3].map((id) =>
            here.filter(({ rage_target }) => rage_target === id).reduce((sum, each) => sum + timesOf(each), 0),
          );
          const found = [1, 2, 3].filter((id) => (sums[id - 1] ?? 0) > 0 && sums[id - 1] === Math.max(...sums));
          return found.length === 0 ? null : new Set(found);
        };
        const found = (name: string) => table.lists?.[name]?.[row] ?? null;
        const asSet = (cell: readonly number[] | null) => cell && new Set(cell);
        expect(asSet(found('clicked'))).toEqual(most(({ rage_clicks }) => rage_clicks));
        expect(asSet(found('touched'))).toEqual(most(({ form_fields }) => form_fields));
      }
      expect(table.size).toBe(2);
    }),
    { seed: 20_261_125 },
  );
});

it('the times up to the end of a page are the first ones of its units, with all that equal the last', () => {
  const unit = fc.record({ at: fc.integer({ min: 0, max: 12 }), path: fc.constant(1) });
  const page = fc.record({ page: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 16 }), page, fc.boolean(), (errors, scope, isAscending) => {
      const sessions = selectedSessions([{ units: { errors } }]);
      const top = scope.page * scope.limit;
      const plan: CountPlan = { kind: 'newestUnits', unit: 'errors', isAscending };
      const rows = rowsOfTable(tableOf(plan, { sessions, request: someRequest({ top }) }));
      const sign = isAscending ? 1 : -1;
      const times = errors.map(({ at }) => at).sort((a, b) => sign * (a - b));
      const last = times[Math.min(top, times.length) - 1] ?? 0;
      const found = rows.map(({ at }) => at as number).sort((a, b) => sign * (a - b));
      expect(found).toEqual(times.filter((at) => sign * (at - last) <= 0));
      expect(new Set(rows.map((row) => row['total_rows']))).toEqual(new Set(times.length > 0 ? [times.length] : []));
    }),
    { seed: 20_261_124 },
  );
});

const visitOf = (visitor: number, first_at: number, duration_ms: number, isCounted = true): SomeSession => ({
  visitor,
  isCounted,
  fields: { visitor, first_at, duration_ms },
});
const VISITS = [visitOf(3, 10, 7), visitOf(-1, 40, 7), visitOf(3, 30, 5), visitOf(4, 20, 9), visitOf(4, 50, 9, false)];

it('single sessions and visitors are found by the time of their first event and of their newest session', () => {
  const found = (plan: CountPlan) => {
    const rows = rowsOfTable(tableOf(plan, { sessions: selectedSessions(VISITS), request: someRequest({ top: 2 }) }));
    return rows.map(({ at, value = null, total_rows }) => [at, value, total_rows]).sort();
  };
  const byDuration = { kind: 'newestSessions', by: { field: 'duration_ms' } } as const;
  expect(found({ kind: 'newestSessions' })).toEqual([
    [30, null, 4],
    [40, null, 4],
  ]);
  expect(found(byDuration)).toEqual([
    [20, 9, 4],
    [40, 7, 4],
  ]);
  expect(found({ ...byDuration, isAscending: true })).toEqual([
    [30, 5, 4],
    [40, 7, 4],
  ]);
  expect(found({ kind: 'newestVisitors' })).toEqual([
    [20, null, 2],
    [30, null, 2],
  ]);
});
