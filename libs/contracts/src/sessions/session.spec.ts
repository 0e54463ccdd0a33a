import fc from 'fast-check';
import { RANGE_STARTS, SCROLL_RANGE_STARTS } from '../read-models/session-days';
import { binValue, durationBin, rangeName, rangeOf, scrollRangeName } from './session';

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

describe('ranges of durations', () => {
  it('hold their lower ends and not their upper ones', () => {
    const durations = [0, 9_999, 10_000, 59_999, 60_000, 1_800_000, 1e9];
    expect(durations.map((ms) => rangeOf(ms, RANGE_STARTS)).map(rangeName)).toEqual([
      '0-10s',
      '0-10s',
      '10-30s',
      '30-60s',
      '1-3m',
      '30m+',
      '30m+',
    ]);
  });
});

describe('a range of scroll depths', () => {
  it.each([
    [0, '0-25%'],
    [2499, '0-25%'],
    [2500, '25-50%'],
    [9999, '75-100%'],
    [10_000, '100%'],
  ])('has %d hundredths of a percent in %s', (scroll, name) =>
    expect(scrollRangeName(rangeOf(scroll, SCROLL_RANGE_STARTS))).toBe(name),
  );
});
