import fc from 'fast-check';
import { customEvents } from '@ledgerline/contracts/read-models/website-facts';
import { DayDigests, hashText, mixedColumns, mixedId } from './digest';

const id = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const ids = fc.uniqueArray(id, { minLength: 2, maxLength: 20 });

const digestOf = (all: readonly string[]) => {
  const digests = new DayDigests();
  for (const each of all) digests.add('sessions', 1, mixedId(0, each));
  return digests.days.get(1)?.get('sessions');
};

describe('the digest of events', () => {
  it('is the same in any order and in any parts', () => {
    const property = fc.property(ids, fc.nat(), (all, place) => {
      expect(digestOf(all.toReversed())).toEqual(digestOf(all));
      const parts = [all.slice(0, place % all.length), all.slice(place % all.length)].map((some) => {
        const digests = new DayDigests();
        for (const each of some) digests.add('sessions', 1, mixedId(0, each));
        return digests;
      });
      const sum = new DayDigests();
      for (const part of parts) sum.addAll(part);
      expect(sum.days.get(1)?.get('sessions')).toEqual(digestOf(all));
    });
    fc.assert(property, { seed: 45, numRuns: 200 });
  });

  it('is another one with another id, also if their number is the same', () => {
    const property = fc.property(ids, fc.nat(31), (all, digit) => {
      const [first = '', ...others] = all;
      const changed = first.slice(0, digit) + (first[digit] === '0' ? '1' : '0') + first.slice(digit + 1);
      expect(digestOf([changed, ...others])).not.toEqual(digestOf(all));
      expect(digestOf([others[0]!, ...others])).not.toEqual(digestOf(all));
    });
    fc.assert(property, { seed: 45, numRuns: 200 });
  });

  it('has columns as the projection or the driver gives them: JSON with names in any order, and null apart from 0', () => {
    const names = ['namespace', 'path', 'properties'];
    const hash = (row: Readonly<Record<string, unknown>>) => mixedColumns(0, customEvents, names, row);
    const row = { namespace: 'shop', path: hashText('/a'), properties: '{"b":{"d":1,"c":[1.0]},"a":2}' };
    expect(hash({ ...row, properties: '{"a": 2, "b": {"c": [1], "d": 1}}' })).toBe(hash(row));
    const others = [
      { properties: '{"b":{"d":1,"c":[1]},"a":3}' },
      { properties: null },
      { namespace: null },
      { path: 0 },
      { path: null },
    ];
    expect(new Set(others.map((other) => hash({ ...row, ...other })).concat(hash(row))).size).toBe(others.length + 1);
  });
});
