import { growthOf, type Sample } from './type-timings';

const FAILED: Sample = { p50: Infinity, p95: Infinity, runs: 0, error: 'no answer' };

describe('growth from the small website to the large one', () => {
  it('is how many times longer that one takes', () => expect(growthOf({ small: of(2), large: of(3) })).toBe(1.5));

  it.each([
    ['the small one', { small: FAILED, large: of(3) }],
    ['the large one', { small: of(3), large: FAILED }],
    ['both', { small: FAILED, large: FAILED }],
  ])('is never met where %s failed', (_, timing) => expect(growthOf(timing)).toBe(Infinity));
});

function of(p95: number): Sample {
  return { p50: p95, p95, runs: 20 };
}
