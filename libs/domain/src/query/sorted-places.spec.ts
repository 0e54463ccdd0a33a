import fc from 'fast-check';
import { sortedPlaces } from './rows';

describe('sorted places', () => {
  it('are those of a stable sort, however many', async () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 300 });
    const property = fc.asyncProperty(values, fc.integer({ min: 1, max: 60 }), async (some, times) => {
      const all = Array.from({ length: times }, () => some).flat();
      const compare = (a: number, b: number) => all[a]! - all[b]!;
      const expected = all.map((_, place) => place).sort(compare);
      expect([...(await sortedPlaces(all.length, compare, () => Promise.resolve()))]).toEqual(expected);
    });
    await fc.assert(property, { seed: 20_261_123, numRuns: 60 });
  });

  it('are found in pieces, between which other work goes on', async () => {
    const random = Float64Array.from({ length: 50_000 }, (_, place) => (place * 7_919) % 50_021);
    const pieces = [] as number[];
    const compared = { times: 0 };
    const compare = (a: number, b: number) => {
      compared.times++;
      return random[a]! - random[b]!;
    };
    await sortedPlaces(random.length, compare, () => {
      pieces.push(compared.times);
      compared.times = 0;
      return Promise.resolve();
    });
    expect(Math.max(...pieces, compared.times)).toBeLessThan(40_000);
  });
});
