import fc from 'fast-check';
import { groupsOfAll } from './groups';

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
