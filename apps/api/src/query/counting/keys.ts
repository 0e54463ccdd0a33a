import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { boundsOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import type { Key } from './counted';
import { isSessionField, type Items } from './items';

/** By what follows from a field. */
export const rangesOf = (name: string, rangeOf: (value: number) => number): Key => ({
  fields: isSessionField(name) ? [name] : [],
  of: ({ field }) => Int32Array.from(field(name), rangeOf),
});

/** By the bucket of a series (from 1) that an item's time lies in. */
export const BUCKET: Key = {
  fields: [],
  of: ({ field, question }: Items) => {
    const bounds = boundsOf(question);
    const buckets = Int32Array.from([-1, ...stretchesOf(question).map(({ bucket }) => bucket), -1]);
    return bucketsIn(field('at'), Float64Array.from([-Infinity, ...bounds, Infinity]), buckets);
  },
};

/** Bucket n lies between bounds n and n + 1. Times of one session mostly lie in the same one: the last one is tried first. */
function bucketsIn(times: Numbers, bounds: Float64Array, buckets: Int32Array): Int32Array {
  const found = new Int32Array(times.length);
  let stretch = 0;
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    if (at < (bounds[stretch] ?? 0) || at >= (bounds[stretch + 1] ?? 0)) stretch = stretchIn(bounds, at);
    found[place] = buckets[stretch] ?? -1;
  }
  return found;
}

function stretchIn(bounds: Float64Array, at: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
