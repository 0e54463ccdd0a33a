import fc from 'fast-check';
import { distinctVisitors, groupBy, medianOf, placesOf, sumOf } from './groups';

const row = fc.record({
  value: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-7, 2_000_000)),
  visitor: fc.integer({ min: -1, max: 4 }),
  weight: fc.integer({ min: 0, max: 2 }),
  duration: fc.integer({ min: 0, max: 9 }),
});

it('groups have the sums, the median and the distinct visitors of their places', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
      const column = (of: (from: (typeof rows)[number]) => number) => Int32Array.from(rows, of);
      const [weights, visitors] = [column(({ weight }) => weight), column(({ visitor }) => visitor)];
      const durations = Float64Array.from(rows, ({ duration }) => duration);
      const groups = groupBy(
        column(({ value }) => value),
        weights,
      );
      const distinct = distinctVisitors(groups, visitors, 5);
      const counted = rows.filter(({ weight }) => weight > 0);
      expect(groups.values).toEqual([...new Set(counted.map(({ value }) => value))]);
      for (const [group, value] of groups.values.entries()) {
        const own = counted.filter((each) => each.value === value);
        const places = placesOf(groups, group);
        expect(sumOf(weights, places)).toBe(own.reduce((sum, { weight }) => sum + weight, 0));
        expect(distinct[group]).toBe(new Set(own.flatMap(({ visitor }) => (visitor < 0 ? [] : [visitor]))).size);
        const sorted = own.map(({ duration }) => duration).sort((a, b) => a - b);
        expect(medianOf(durations, places)).toBe(sorted[Math.floor((sorted.length - 1) / 2)]);
      }
    }),
    { seed: 20_261_122 },
  );
});

it('there is no median of nothing', () => expect(medianOf(new Float64Array(), new Int32Array())).toBeNull());
