import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { integers } from './scratch';
import type { Question } from './scope';

/** By the bucket of a series that an item's time lies in. */
export const BUCKET = { bucket: 'at' } as const;

/** The bucket of each time; -1 outside of the range. */
export function bucketsAt({ series: { stretches } }: Pick<Question, 'series'>, times: Numbers): Int32Array {
  const bounds = [...stretches.map(({ from }) => from), stretches.at(-1)?.to ?? 0];
  const buckets = Int32Array.from([-1, ...stretches.map(({ bucket }) => bucket), -1]);
  return bucketsIn(times, Float64Array.from([-Infinity, ...bounds, Infinity]), buckets);
}

/** Bucket n lies between bounds n and n + 1, the first and the last of which are infinite. */
function bucketsIn(times: Numbers, bounds: Float64Array, buckets: Int32Array): Int32Array {
  const found = integers(times.length);
  let nth = 0; // TRICKY: most times lie in the bucket of the one before, or near it
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    while (at < (bounds[nth] ?? 0)) nth--;
    while (at >= (bounds[nth + 1] ?? Infinity)) nth++;
    found[place] = buckets[nth] ?? -1;
  }
  return found;
}
