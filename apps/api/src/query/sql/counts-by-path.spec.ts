import fc from 'fast-check';
import { CountsByPath } from './transitions';

const path = fc.oneof(fc.nat(9), fc.constantFrom(2 ** 31 - 1, 2 ** 31 - 2, 2 ** 21 + 1));
const added = fc.array(fc.record({ path, first: fc.integer({ min: -9, max: 9 }), second: fc.nat(3) }), {
  maxLength: 12,
});

it('counts are those of a map, also after they were cleared for more or fewer', () => {
  const counts = new CountsByPath();
  const property = fc.property(added, (all) => {
    const expected = new Map<number, readonly [number, number]>();
    counts.clear(all.length);
    for (const each of all) {
      const [first, second] = expected.get(each.path) ?? [0, 0];
      expected.set(each.path, [first + each.first, second + each.second]);
      counts.add(each.path, each.first, each.second);
    }
    const found = new Map<number, readonly [number, number]>();
    counts.each((of, first, second) => found.set(of, [first, second]));
    expect([...found].sort(byPath)).toEqual([...expected].sort(byPath));
  });
  fc.assert(property, { seed: 20_261_123 });
});

const byPath = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]) => a - b;
