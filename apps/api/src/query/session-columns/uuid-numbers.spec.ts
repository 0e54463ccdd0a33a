import fc from 'fast-check';
import { UuidNumbers } from './uuid-numbers';

it('uuids have one number each, in the order in which they come', () => {
  const word = fc.oneof(fc.constantFrom(0, 1, -1), fc.integer());
  const uuids = fc.array(fc.tuple(word, word, word, word), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(uuids, (some) => {
      const column = Int32Array.from(some.flat());
      const numbers = new UuidNumbers(some.length);
      const expected = [...new Set(some.map(String))];
      expect(some.map((_, place) => numbers.numberOf(column, place))).toEqual(
        some.map((uuid) => expected.indexOf(String(uuid))),
      );
      expect(numbers.size).toBe(expected.length);
    }),
    { seed: 20_261_122 },
  );
});
