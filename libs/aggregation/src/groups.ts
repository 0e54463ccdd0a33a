import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { floats, integers, rememberOf } from './scratch';
import { everyRow, take, DenseCodes } from './columns';

/** Items by what they have in common: the number of each one's group, from 0 in the order in which they come; -1 = none. */
export interface Groups {
  readonly numbers: Int32Array;
  readonly count: number;
}

/** 0 = left out. */
type Marks = Uint8Array | Int32Array;

/** Values below it have a slot each, which is several times faster than hashing, unless most of many slots stay empty. */
const DIRECT = 2 ** 22;
const FEW = 2 ** 12;
const SLOTS_PER_ITEM = 16;

/** Items by their values in a column, those of which `isIn` is 0 left out; negative values are in no group. */
export function groupsOf(column: Numbers, isIn?: Marks): Groups {
  let most = 0;
  for (let at = 0; at < column.length; at++) if ((column[at] ?? 0) > most) most = column[at] ?? 0;
  const numbers = integers(column.length).fill(-1);
  if (most >= DIRECT || most >= Math.max(FEW, SLOTS_PER_ITEM * column.length))
    return { numbers, count: numberByHash(column, isIn, numbers) };
  const known = integers(most + 1); // less 1, so that they begin as zeros
  let count = 0;
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? 0;
    if (value < 0 || isIn?.[at] === 0) continue;
    if (known[value] === 0) known[value] = ++count;
    numbers[at] = (known[value] ?? 0) - 1;
  }
  return { numbers, count };
}

const BY_HASH = new DenseCodes();

function numberByHash(column: Numbers, isIn: Marks | undefined, numbers: Int32Array): number {
  BY_HASH.clear(column.length);
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? 0;
    if (value >= 0 && isIn?.[at] !== 0) numbers[at] = BY_HASH.numberOf(value);
  }
  return BY_HASH.size;
}

/** Items by their values in several columns of equal length; of no columns there is one group. */
export function groupsOfAll([first, ...others]: readonly Numbers[], size: number, isIn?: Marks): Groups {
  if (first !== undefined)
    return others.reduce((before, column) => pairs(before, groupsOf(column, isIn)), groupsOf(first, isIn));
  const one = { numbers: integers(size), count: 1 };
  for (let at = 0; at < size; at++) if (isIn?.[at] === 0) one.numbers[at] = -1;
  return one;
}

/** Each item is a group of its own. */
export const groupOfEach = (size: number): Groups => ({ numbers: everyRow(size), count: size });

function pairs(a: Groups, b: Groups): Groups {
  if (a.numbers.length >= MANY && a.count * b.count >= DIRECT) return pairsOfMany(a, b);
  const pair = floats(a.numbers.length);
  for (let at = 0; at < pair.length; at++) {
    const [first, second] = [a.numbers[at] ?? -1, b.numbers[at] ?? -1];
    pair[at] = first < 0 || second < 0 ? -1 : first * b.count + second;
  }
  return groupsOf(pair);
}

/** So many items are grouped sooner one after another than by hash. */
const MANY = 2 ** 14;

/** TRICKY: the second groups of each first one are numbered in few slots, as hashing would wait for memory at each item. */
function pairsOfMany(a: Groups, b: Groups): Groups {
  const { starts, order } = orderOf(a);
  const numbers = integers(a.numbers.length).fill(-1);
  const [slots, usedIn] = [integers(b.count), integers(b.count)];
  let count = 0;
  for (let first = 0; first < a.count; first++) {
    for (let nth = starts[first] as number; nth < (starts[first + 1] as number); nth++) {
      const at = order[nth] as number;
      const second = b.numbers[at] as number;
      if (second < 0) continue;
      if (usedIn[second] !== first + 1) {
        usedIn[second] = first + 1;
        slots[second] = count++;
      }
      numbers[at] = slots[second] as number;
    }
  }
  const inOrderOfItems = integers(count).fill(-1);
  let next = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    if (number < 0) continue;
    if (inOrderOfItems[number] === -1) inOrderOfItems[number] = next++;
    numbers[at] = inOrderOfItems[number] as number;
  }
  return { numbers, count };
}

/** The same groups with only the items that have a mark; some may be empty. */
export function withMark({ numbers, count }: Groups, isMarked: Marks): Groups {
  const left = integers(numbers.length);
  for (let at = 0; at < left.length; at++) left[at] = isMarked[at] === 0 ? -1 : (numbers[at] ?? -1);
  return { numbers: left, count };
}

/** The first item of each group. */
export function firstsOf({ numbers, count }: Groups): Int32Array {
  const firsts = integers(count);
  for (let at = 0, group = 0; group < count && at < numbers.length; at++) {
    if (numbers[at] === group) firsts[group++] = at;
  }
  return firsts;
}

/** In how many different ones of the others the items of each group are. */
export function distinctOf({ numbers, count }: Groups, { starts, order }: Ordered): Float64Array {
  const [found, latest] = [floats(count), integers(count)];
  for (let other = 1, at = 0; other < starts.length; other++) {
    for (const end = starts[other] ?? 0; at < end; at++) {
      const group = numbers[order[at] ?? 0] ?? -1;
      if (group < 0 || latest[group] === other) continue;
      latest[group] = other;
      found[group] = (found[group] ?? 0) + 1;
    }
  }
  return found;
}

/** What a column has for the items of each group, to be moved at will. */
export function valuesOfEach(groups: Groups, column: Numbers): Float64Array[] {
  const { starts, order } = orderOf(groups);
  const values = floats(order.length);
  for (let nth = 0; nth < order.length; nth++) values[nth] = column[order[nth] ?? 0] ?? 0;
  return Array.from({ length: groups.count }, (_, group) => values.subarray(starts[group], starts[group + 1]));
}

/** Items group by group: those of group n are `order[starts[n]]` up to `order[starts[n + 1]]`. */
export interface Ordered {
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

/** Sessions by their visitor, those without one in no group. */
export const visitorsOf = rememberOf((sessions: { readonly field: (name: 'visitor') => Numbers }) =>
  groupsOf(sessions.field('visitor')),
);

const known = new WeakMap<Groups, Ordered>();

/** By counting: as fast as reading the column twice. Several figures of the same groups need it. */
export function orderOf(groups: Groups): Ordered {
  const ordered = known.get(groups) ?? inOrder(groups);
  known.set(groups, ordered);
  return ordered;
}

/** Items, given by the places of their sessions, visitor by visitor. */
export const visitorOrder = ({ numbers, count }: Groups): ((places: Int32Array) => Ordered) =>
  rememberOf((places) => inOrder({ numbers: take(numbers, places), count }));

function inOrder({ numbers, count }: Groups): Ordered {
  const starts = integers(count + 2); // a place further than at the end, as each moves to the next one
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) starts[group + 2] = (starts[group + 2] ?? 0) + 1;
  }
  for (let group = 2; group < starts.length; group++) starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
  const order = integers(starts[count + 1] ?? 0);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group < 0) continue;
    const place = starts[group + 1] ?? 0;
    order[place] = at;
    starts[group + 1] = place + 1;
  }
  return { starts: starts.subarray(0, count + 1), order };
}

/** The sum of a column in each group. TRICKY: read in its order, which is several times faster than group by group. */
export function sumsOf({ numbers, count }: Groups, column: Numbers): Float64Array {
  const sums = floats(count);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) sums[group] = (sums[group] ?? 0) + (column[at] ?? 0);
  }
  return sums;
}

export function countsOf({ numbers, count }: Groups): Float64Array {
  const counts = floats(count);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

/** The least, or with sign -1 the greatest value of each group; NaN of nothing. */
export function extremesOf({ numbers, count }: Groups, column: Numbers, sign: 1 | -1): Float64Array {
  const best = floats(count).fill(NaN);
  for (let at = 0; at < numbers.length; at++) {
    const [group, value] = [numbers[at] ?? -1, sign * (column[at] ?? 0)];
    if (group >= 0 && !((best[group] ?? NaN) * sign <= value)) best[group] = sign * value;
  }
  return best;
}

/**
 * The latest item of each group; -1 of nothing.
 * @param places of the items that the groups are of, if they are not all
 */
export function latestOf({ numbers, count }: Groups, order: readonly Numbers[], places?: Int32Array): Int32Array {
  const isLater = (a: number, b: number) => {
    const decisive = order.find((column) => column[a] !== column[b]);
    return decisive !== undefined && (decisive[a] ?? 0) > (decisive[b] ?? 0);
  };
  const found = integers(count).fill(-1);
  for (let nth = 0; nth < numbers.length; nth++) {
    const [group, at] = [numbers[nth] ?? -1, places ? (places[nth] ?? 0) : nth];
    const last = found[group] ?? -1;
    if (group >= 0 && (last < 0 || isLater(at, last))) found[group] = at;
  }
  return found;
}
