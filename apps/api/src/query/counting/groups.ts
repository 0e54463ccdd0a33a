import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { Numbered } from './numbered';

/** Items by what they have in common: the number of each one's group, from 0; -1 = in none. */
export type Groups = Numbered;

/** The same groups with only the items that have a mark; some may be empty. */
export function withMark({ numbers, count }: Groups, isMarked: Uint8Array): Groups {
  const left = numbers.slice();
  for (let at = 0; at < left.length; at++) if (isMarked[at] !== 1) left[at] = -1;
  return { numbers: left, count };
}

/** The first item of each group that has any. */
export function firstsOf({ numbers, count }: Groups): Int32Array {
  const firsts = new Int32Array(count).fill(-1);
  for (let at = numbers.length - 1; at >= 0; at--) {
    const group = numbers[at] ?? -1;
    if (group >= 0) firsts[group] = at;
  }
  return firsts;
}

/** How many different numbers the items of each group have; -1 is none. */
export function distinctOf(groups: Groups, { numbers, count }: Numbered): Float64Array {
  const { starts, order } = inOrder(groups);
  const [found, seenIn] = [new Float64Array(groups.count), new Int32Array(count).fill(-1)];
  for (let group = 0; group < groups.count; group++) {
    let distinct = 0;
    for (let nth = starts[group] ?? 0; nth < (starts[group + 1] ?? 0); nth++) {
      const number = numbers[order[nth] ?? 0] ?? -1;
      if (number < 0 || seenIn[number] === group) continue;
      seenIn[number] = group;
      distinct++;
    }
    found[group] = distinct;
  }
  return found;
}

/** What a column has for the items of each group, to be moved at will. */
export function valuesOfEach(groups: Groups, column: Numbers): Float64Array[] {
  const { starts, order } = inOrder(groups);
  const values = new Float64Array(order.length);
  for (let nth = 0; nth < order.length; nth++) values[nth] = column[order[nth] ?? 0] ?? 0;
  return Array.from({ length: groups.count }, (_, group) => values.subarray(starts[group], starts[group + 1]));
}

/** Items group by group: those of group n are `order[starts[n]]` up to `order[starts[n + 1]]`. */
interface Ordered {
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

const known = new WeakMap<Groups, Ordered>();

/** By counting: as fast as reading the column twice. Several figures of the same groups need it. */
function inOrder(groups: Groups): Ordered {
  const before = known.get(groups);
  if (before) return before;
  const { numbers, count } = groups;
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  }
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const next = starts.slice();
  const order = new Int32Array(starts[count] ?? 0);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group < 0) continue;
    const place = next[group] ?? 0;
    order[place] = at;
    next[group] = place + 1;
  }
  known.set(groups, { starts, order });
  return { starts, order };
}
