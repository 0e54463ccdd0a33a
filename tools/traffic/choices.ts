import type { Random } from './random';

/** Draws one of several values in proportion to their weights. */
type Choice<T> = (random: Random) => T;

export function weighted<T>(options: readonly (readonly [T, number])[]): Choice<T> {
  const ends: number[] = [];
  let total = 0;
  for (const [, weight] of options) ends.push((total += weight));
  const first = options[0];
  if (first === undefined) throw new RangeError('There is nothing to choose from.');
  return (random) => (options[firstAbove(ends, random.next() * total)] ?? first)[0];
}

/** Draws the thing of rank r with a weight of 1 / r^exponent, as visits to the pages of a website are distributed. */
export const zipf = <T>(things: readonly T[], exponent: number): Choice<T> =>
  weighted(things.map((thing, rank) => [thing, 1 / (rank + 1) ** exponent] as const));

function firstAbove(ends: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
