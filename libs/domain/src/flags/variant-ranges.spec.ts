import fc from 'fast-check';
import type { FlagVariant, VariantRange } from '@ledgerline/contracts/events/flag.events';
import { BUCKETS, movedRanges, plainRanges, variantAt } from './variant-ranges';

describe('the ranges of variants', () => {
  it('are one for each in its order, as every flag had them from the beginning', () =>
    fc.assert(
      fc.property(weights, fc.array(fc.integer({ min: 0, max: BUCKETS - 1 }), { minLength: 50 }), (given, buckets) => {
        const variants = variantsOf(given);
        for (const bucket of buckets)
          expect(variantAt(plainRanges(variants), bucket)).toBe(earlierVariantAt(variants, bucket)?.key);
      }),
      { seed: 7 },
    ));

  it('move a third of all people to a third variant, and nobody else', () => {
    const before = plainRanges(variantsOf({ a: 1, b: 1 }));
    const after = move(before, { a: 1, b: 1, c: 1 });
    const changes = changesBetween(before, after);
    expect(new Set(changes.keys())).toEqual(new Set(['a→c', 'b→c']));
    for (const moved of changes.values()) expect(moved / BUCKETS).toBeCloseTo(1 / 6, 8);
  });

  it.each([
    ['the same weights', { a: 1, b: 3 }],
    ['other weights of the same shares', { a: 10, b: 30 }],
    ['another order', { b: 3, a: 1 }],
    ['an added variant without weight', { a: 1, c: 0, b: 3 }],
  ])('stay as they are with %s', (_, given) => {
    const before = plainRanges(variantsOf({ a: 1, b: 3 }));
    const after = move(before, given);
    expect(changesBetween(before, after)).toEqual(new Map());
  });

  it('give those of a removed variant to the others, or to the one that replaces it', () => {
    const before = plainRanges(variantsOf({ a: 1, b: 1, c: 2 }));
    const without = move(before, { a: 1, c: 1 });
    expect(new Set(changesBetween(before, without).keys())).toEqual(new Set(['b→a']));
    const renamed = move(before, { a: 1, new: 1, c: 2 });
    expect(changesBetween(before, renamed)).toEqual(new Map([['b→new', BUCKETS / 4]]));
  });

  it('change for as few people as weights allow, whatever was changed before', () =>
    fc.assert(
      fc.property(fc.array(weights, { minLength: 2, maxLength: 12 }), (history) => {
        let before = plainRanges(variantsOf(history[0]!));
        for (const given of history.slice(1)) {
          const after = move(before, given);
          const held = sizesOf(before);
          const wanted = sizesOf(plainRanges(variantsOf(given)));
          expect(sizesOf(after)).toEqual(wanted);
          const least = [...held].reduce((sum, [key, size]) => sum + Math.max(0, size - (wanted.get(key) ?? 0)), 0);
          expect([...changesBetween(before, after).values()].reduce((sum, moved) => sum + moved, 0)).toBe(least);
          before = after;
        }
        expect(before.length).toBeLessThan(100);
      }),
      { seed: 7, numRuns: 300 },
    ));
});

/** Some of eight variants, at least one of them with a weight. */
const weights = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), { minLength: 1 })
  .chain((keys) =>
    fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), fc.double({ min: 0, max: 9, noNaN: true })))),
  )
  .map((entries) => Object.fromEntries(entries) as Readonly<Record<string, number>>)
  .filter((given) => Object.values(given).some((weight) => weight > 1e-6));

const variantsOf = (given: Readonly<Record<string, number>>): FlagVariant[] =>
  Object.entries(given).map(([key, weight]) => ({ key, value: key, weight }));

const move = (before: readonly VariantRange[], given: Readonly<Record<string, number>>): readonly VariantRange[] =>
  movedRanges(before, variantsOf(given)) ?? plainRanges(variantsOf(given));

/** As it was before ranges were stored. */
function earlierVariantAt(variants: readonly FlagVariant[], bucket: number): FlagVariant | undefined {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  let end = 0;
  return variants.find(({ weight }) => bucket < ((end += weight) / total) * BUCKETS);
}

/** The buckets of each variant. */
function sizesOf(ranges: readonly VariantRange[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  ranges.forEach(({ variant, end }, at) => {
    const size = end - (ranges[at - 1]?.end ?? 0);
    if (size > 0) sizes.set(variant, (sizes.get(variant) ?? 0) + size);
  });
  return sizes;
}

/** Counts how many buckets went from which variant to which. */
function changesBetween(before: readonly VariantRange[], after: readonly VariantRange[]): ReadonlyMap<string, number> {
  const changes = new Map<string, number>();
  const ends = [...new Set([0, ...before.map(({ end }) => end), ...after.map(({ end }) => end)])].sort((a, b) => a - b);
  ends.slice(0, -1).forEach((from, at) => {
    const old = variantAt(before, from);
    const now = variantAt(after, from);
    const name = `${old}→${now}`;
    if (old !== now) changes.set(name, (changes.get(name) ?? 0) + ends[at + 1]! - from);
  });
  return changes;
}
