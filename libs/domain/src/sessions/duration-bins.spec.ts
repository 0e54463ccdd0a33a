import fc from 'fast-check';
import { binValue, durationBin } from './duration-bins';

describe('a bin of durations', () => {
  it('stands for everything in it within 1 %', () => {
    const property = fc.property(fc.integer({ min: 1, max: 366 * 86_400_000 }), (ms) => {
      expect(Math.abs(binValue(durationBin(ms)) - ms)).toBeLessThanOrEqual(ms * 0.01);
    });
    fc.assert(property, { seed: 45, numRuns: 2000 });
  });

  it('grows with the duration and fits a smallint', () => {
    const bins = [0, 1, 2, 10, 1000, 60_000, 86_400_000, 1e12].map(durationBin);
    expect(bins).toEqual([...bins].sort((a, b) => a - b));
    expect(bins.at(-1)).toBeLessThan(32_767);
  });

  it('of nothing is nothing', () => {
    expect(binValue(durationBin(0))).toBe(0);
  });
});
