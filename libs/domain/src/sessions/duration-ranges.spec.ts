import { durationRange, rangeName } from './duration-ranges';

describe('ranges of durations', () => {
  it('hold their lower ends and not their upper ones', () => {
    expect([0, 9_999, 10_000, 59_999, 60_000, 1_800_000, 1e9].map(durationRange).map(rangeName)).toEqual([
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
