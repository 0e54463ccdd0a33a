import fc from 'fast-check';
import { addHistograms, binOf, countOf, entryOf } from './histogram';

describe('a histogram', () => {
  it('adds the counts of each bin, and subtracts them again', () => {
    const property = fc.property(counts, counts, (a, b) => {
      const [left, right] = [a, b].map(histogramOf) as [readonly number[], readonly number[]];
      const both = addHistograms(left, right);
      expect(countsOf(both)).toEqual(countsOf(histogramOf([...a, ...b])));
      expect(addHistograms(both, right, -1)).toEqual(left);
    });
    fc.assert(property, { seed: 71 });
  });

  it('holds negative counts, as differences have them', () => {
    const entry = entryOf(7, -3);
    expect([binOf(entry), countOf(entry)]).toEqual([7, -3]);
    expect(addHistograms([entryOf(7, 2)], [entryOf(7, 5)], -1)).toEqual([entry]);
  });
});

const counts = fc.array(fc.record({ bin: fc.nat(12), count: fc.integer({ min: 1, max: 2 ** 30 }) }), { maxLength: 6 });

const histogramOf = (of: readonly { bin: number; count: number }[]) =>
  of.reduce<readonly number[]>((sum, { bin, count }) => addHistograms(sum, [entryOf(bin, count % 1000)]), []);
const countsOf = (entries: readonly number[]) => entries.map((entry) => [binOf(entry), countOf(entry)]);
