import fc from 'fast-check';
import { groupCounts, distinctIn, groupsByValue, groupsOfAll, groupRepresentatives } from './groups';

it('items of several columns are numbered in the order in which their values first come, however many they are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(50, 20_000),
      fc.constantFrom(3, 5_000),
      fc.constantFrom(4, 6_000, 2 ** 30),
      fc.integer(),
      (size, firstValues, secondValues, seed) => {
        const random = (at: number, values: number) =>
          Math.floor(Math.abs(Math.sin(seed + at) * 1e6) % (values + 1)) - 1;
        const a = Int32Array.from({ length: size }, (_, at) => random(2 * at, firstValues));
        const b = Int32Array.from({ length: size }, (_, at) => random(2 * at + 1, secondValues));
        const isIn = Uint8Array.from({ length: size }, (_, at) => (at % 7 === 0 ? 0 : 1));
        const known = new Map<string, number>();
        const expected = Array.from(a, (first, at) => {
          const second = b[at] as number;
          if (first < 0 || second < 0 || isIn[at] === 0) return -1;
          const key = `${first} ${second}`;
          const number = known.get(key) ?? known.size;
          known.set(key, number);
          return number;
        });
        const { numbers, count } = groupsOfAll([a, b], size, isIn);
        expect(count).toBe(known.size);
        expect(Array.from(numbers)).toEqual(expected);
      },
    ),
    { seed: 20_261_126, numRuns: 40 },
  );
});

it('groups by value have the items that are in, and their different owners, as plain loops find them', () => {
  const keys = fc.constantFrom(1, 3, 40, 5_000, 2 ** 30);
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 2 }), fc.nat(300), fc.integer(), (most, size, seed) => {
      const random = (at: number, values: number) => Math.floor(Math.abs(Math.sin(seed + at) * 1e6) % (values + 1)) - 1;
      const numbers = (nth: number, values: number) =>
        Int32Array.from({ length: size }, (_, at) => random(3 * at + nth, values));
      const columns = most.map((values, nth) => numbers(nth, values));
      const isIn = Uint8Array.from(numbers(5, 2), (number) => (number < 0 ? 0 : 1));
      const count = 20;
      const owners = numbers(7, count).map((owner) => (owner < 0 ? count : owner));
      const expected = new Map<string, { items: number; owners: Set<number> }>();
      for (let at = 0; at < size; at++) {
        const values = columns.map((column) => column[at] as number);
        if (isIn[at] === 0 || values.some((value) => value < 0)) continue;
        const group = expected.get(values.join()) ?? { items: 0, owners: new Set<number>() };
        expected.set(values.join(), group);
        group.items++;
        if (owners[at] !== count) group.owners.add(owners[at] as number);
      }
      const groups = groupsByValue(columns, size, isIn);
      const counts = groupCounts(groups);
      const different = distinctIn(groups, { numbers: owners, count });
      const samples = groupRepresentatives(groups);
      const found = new Map<string, readonly number[]>();
      for (let group = 0; group + 1 < groups.count; group++) {
        const values = columns.map((column) => column[samples[group] as number]).join();
        if (counts[group] !== 0) found.set(values, [counts[group] as number, different[group] as number]);
      }
      expect(found).toEqual(
        new Map([...expected].map(([values, { items, owners: of }]) => [values, [items, of.size]])),
      );
    }),
    { seed: 20_261_129, numRuns: 300 },
  );
});
