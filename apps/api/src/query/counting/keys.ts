import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { boundsOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import { integers } from '@ledgerline/domain/session-days/scratch';
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

/**
 * Bucket n lies between bounds n and n + 1, the first and the last of which are infinite. TRICKY: most times lie in the
 * bucket of the one before; else, as bounds are at nearly equal distances, beside the one in which they would if they were.
 */
function bucketsIn(times: Numbers, bounds: Float64Array, buckets: Int32Array): Int32Array {
  const [first = 0, last = 0] = [bounds[1], bounds[bounds.length - 2]];
  const perMs = (bounds.length - 3) / Math.max(last - first, 1);
  const found = integers(times.length);
  let [begin, end, bucket] = [0, 0, -1];
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    if (at < begin || at >= end) {
      let nth = Math.min(Math.max(Math.floor((at - first) * perMs) + 1, 0), bounds.length - 2);
      while (at < (bounds[nth] ?? 0)) nth--;
      while (at >= (bounds[nth + 1] ?? Infinity)) nth++;
      [begin, end, bucket] = [bounds[nth] ?? 0, bounds[nth + 1] ?? 0, buckets[nth] ?? -1];
    }
    found[place] = bucket;
  }
  return found;
}
