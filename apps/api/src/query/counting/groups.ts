import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { floats, integers } from '@ledgerline/domain/session-days/scratch';
import type { Numbered } from './numbered';

/** Items by what they have in common: the number of each one's group, from 0; -1 = in none. */
export type Groups = Numbered;

/** The same groups with only the items that have a mark; some may be empty. */
export function withMark({ numbers, count }: Groups, isMarked: Uint8Array): Groups {
  const left = integers(numbers.length);
  left.set(numbers);
  for (let at = 0; at < left.length; at++) if (isMarked[at] !== 1) left[at] = -1;
  return { numbers: left, count };
}

/** The first item of each group that has any. */
export function firstsOf({ numbers, count }: Groups): Int32Array {
  const firsts = integers(count).fill(-1);
  for (let at = numbers.length - 1; at >= 0; at--) {
    const group = numbers[at] ?? -1;
    if (group >= 0) firsts[group] = at;
  }
  return firsts;
}

/**
 * How many different numbers the items of each group have; -1 is none. `places` = where the number of each item is.
 * TRICKY: in the order of the numbers, of which there are more than groups: what is written to at random is short.
 */
export function distinctOf({ numbers: groups, count }: Groups, numbered: Numbered, places?: Int32Array): Float64Array {
  const { numbers } = numbered;
  const ends = integers(numbered.count + 1);
  for (let at = 0; at < groups.length; at++) {
    const number = numbers[places ? (places[at] ?? 0) : at] ?? -1;
    if (number >= 0) ends[number + 1] = (ends[number + 1] ?? 0) + 1;
  }
  for (let number = 1; number < ends.length; number++) ends[number] = (ends[number] ?? 0) + (ends[number - 1] ?? 0);
  const ordered = integers(ends[numbered.count] ?? 0);
  for (let at = 0; at < groups.length; at++) {
    const number = numbers[places ? (places[at] ?? 0) : at] ?? -1;
    if (number < 0) continue;
    const place = ends[number] ?? 0; // so far where the groups of the number begin
    ordered[place] = groups[at] ?? -1;
    ends[number] = place + 1;
  }
  const [found, latest] = [floats(count), integers(count).fill(-1)];
  let place = 0;
  for (let number = 0; number < numbered.count; number++) {
    for (const end = ends[number] ?? 0; place < end; place++) {
      const group = ordered[place] ?? -1;
      if (group < 0 || latest[group] === number) continue;
      latest[group] = number;
      found[group] = (found[group] ?? 0) + 1;
    }
  }
  return found;
}

/** What a column has for the items of each group, to be moved at will. */
export function valuesOfEach(groups: Groups, column: Numbers): Float64Array[] {
  const { starts, order } = inOrder(groups);
  const values = floats(order.length);
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
  const starts = integers(count + 1);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) starts[group + 1] = (starts[group + 1] ?? 0) + 1;
  }
  for (let group = 0; group < count; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  const [next, order] = [integers(starts.length), integers(starts[count] ?? 0)];
  next.set(starts);
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
