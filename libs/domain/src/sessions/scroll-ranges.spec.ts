import { scrollRange, scrollRangeName } from './scroll-ranges';

describe('a range of scroll depths', () => {
  it.each([
    [0, '0-25%'],
    [2499, '0-25%'],
    [2500, '25-50%'],
    [9999, '75-100%'],
    [10_000, '100%'],
  ])('has %d hundredths of a percent in %s', (scroll, name) => expect(scrollRangeName(scrollRange(scroll))).toBe(name));
});
