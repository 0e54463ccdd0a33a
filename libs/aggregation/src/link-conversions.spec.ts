import fc from 'fast-check';
import { MICROS_PER_CONVERSION } from './amounts';
import { SHARE_MODELS, sharesOf } from './link-conversions';

it('gives away a whole conversion, and what does not divide to the earliest click', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SHARE_MODELS), fc.integer({ min: 1, max: 40 }), (model, clicks) => {
      const shares = sharesOf(model, clicks);
      expect(shares).toHaveLength(clicks);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(MICROS_PER_CONVERSION);
      expect(shares.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
    }),
    { seed: 3 },
  );
  expect(sharesOf('linear', 3)).toEqual([333_334, 333_333, 333_333]);
  expect(sharesOf('position', 2)).toEqual([500_000, 500_000]);
  expect(sharesOf('position', 5)).toEqual([400_002, 66_666, 66_666, 66_666, 400_000]);
  expect([sharesOf('first', 2), sharesOf('last', 2)]).toEqual([
    [MICROS_PER_CONVERSION, 0],
    [0, MICROS_PER_CONVERSION],
  ]);
});
