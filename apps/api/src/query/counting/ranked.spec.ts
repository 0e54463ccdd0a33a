import fc from 'fast-check';
import { rowsOfTable, someQuestion } from '@test/query/selected-sessions';
import { EVERY_ROW } from '../query-type';
import { firstRows } from './ranked';

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
        const found = rowsOfTable(
          firstRows({ size: rows.length, columns }, ['a', 'b'], someQuestion({ page: { page, limit } })),
        );
        expect((found as typeof rows).toSorted(compare)).toEqual(expected);
      },
    ),
    { seed: 20_261_123 },
  );
});

it('all rows are wanted for another order, or where no page is cut out', () => {
  const table = { size: 3, columns: { a: Float64Array.of(1, 2, 3) } };
  const page = { page: 1, limit: 1 };
  expect(firstRows(table, ['a'], someQuestion({ page, sort: { field: 'b', direction: 'asc' } }))).toBe(table);
  expect(firstRows(table, ['a'], someQuestion({ page: EVERY_ROW }))).toBe(table);
});
