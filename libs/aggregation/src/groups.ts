import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { everyRow, DenseCodes, isNotZero, type SelectionMask } from './columns';
import { blank, floats, integers } from './scratch';

/** Items by what they have in common. */
export interface RowGroups {
  /** The number of each one's group; -1 = none. */
  readonly numbers: Int32Array;
  /** Numbers are below it; there may be groups without items. */
  readonly count: number;
}

/** Values below it have a slot each, which is several times faster than hashing, unless most of many slots stay empty. */
const DIRECT = 2 ** 22;
const FEW = 2 ** 12;
const SLOTS_PER_ITEM = 16;

/** Returns whether each value up to this one can have a slot. */
const isDirect = (most: number, size: number): boolean => most < DIRECT && most < Math.max(FEW, SLOTS_PER_ITEM * size);

function greatestOf(column: Numbers): number {
  let most = 0;
  for (let at = 0; at < column.length; at++) if ((column[at] as number) > most) most = column[at] as number;
  return most;
}

/**
 * Items by their values in a column, numbered in the order in which they come, those of which `isIn` is 0 left out; negative
 * values are in no group.
 */
export function groupsOf(column: Numbers, isIn?: SelectionMask): RowGroups {
  const most = greatestOf(column);
  const numbers = integers(column.length).fill(-1);
  if (!isDirect(most, column.length)) return { numbers, count: numberByHash(column, isIn, numbers) };
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

function numberByHash(column: Numbers, isIn: SelectionMask | undefined, numbers: Int32Array): number {
  BY_HASH.clear(column.length);
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? 0;
    if (value >= 0 && isIn?.[at] !== 0) numbers[at] = BY_HASH.numberOf(value);
  }
  return BY_HASH.size;
}

/** Items by their values in several columns of equal length; of no columns there is one group. */
export function groupsOfAll([first, ...others]: readonly Numbers[], size: number, isIn?: SelectionMask): RowGroups {
  if (first !== undefined)
    return others.reduce((before, column) => pairs(before, groupsOf(column, isIn)), groupsOf(first, isIn));
  const one = { numbers: integers(size), count: 1 };
  for (let at = 0; at < size; at++) if (isIn?.[at] === 0) one.numbers[at] = -1;
  return one;
}

/** Groups that every item is in: the last one is of those that are left out. */
export interface WholeGroups extends RowGroups {
  /** The number of a group is the value of its items. */
  readonly isByValue: boolean;
  /** How many items each has. */
  readonly sizes: Int32Array;
}

/**
 * Items by their values, in any order of numbers, some of which may have no items: values of a single column are their own
 * numbers, where they are small.
 */
export function groupsByValue(columns: readonly Numbers[], size: number, isIn: SelectionMask): WholeGroups {
  const [only] = columns;
  const most = columns.length === 1 && only instanceof Int32Array ? greatestOf(only) : Infinity;
  if (only instanceof Int32Array && isDirect(most, size))
    return withMark({ numbers: only, count: most + 1, isByValue: true }, isIn);
  return withMark({ ...groupsOfAll(columns, size), isByValue: false }, isIn);
}

/** Returns the same groups with only the items that have a mark. */
export function withMark(
  { numbers, count, isByValue }: Omit<WholeGroups, 'sizes'>,
  isMarked: SelectionMask,
): WholeGroups {
  const left = blank(Int32Array, numbers.length);
  const sizes = integers(count + 1);
  for (let at = 0; at < left.length; at++) {
    const number = numbers[at] as number;
    const kept = -isNotZero(isMarked[at] as number) & ~(number >> 31); // all bits, or none
    const group = (number & kept) | (count & ~kept);
    left[at] = group;
    sizes[group] = (sizes[group] as number) + 1;
  }
  return { numbers: left, count: count + 1, isByValue, sizes };
}

/** Each item is a group of its own. */
export const groupOfEach = (size: number): RowGroups => ({ numbers: everyRow(size), count: size });

function pairs(a: RowGroups, b: RowGroups): RowGroups {
  if (a.numbers.length >= MANY && a.count * b.count >= DIRECT) return pairsOfMany(a, b);
  const pair = blank(Float64Array, a.numbers.length);
  for (let at = 0; at < pair.length; at++) {
    const first = a.numbers[at] ?? -1;
    const second = b.numbers[at] ?? -1;
    pair[at] = first < 0 || second < 0 ? -1 : first * b.count + second;
  }
  return groupsOf(pair);
}

/** So many items are grouped sooner one after another than by hash. */
const MANY = 2 ** 14;

/** TRICKY: the second groups of each first one are numbered in few slots, as hashing would wait for memory at each item. */
function pairsOfMany(a: RowGroups, b: RowGroups): RowGroups {
  const { starts, order } = orderOf(a);
  const numbers = integers(a.numbers.length).fill(-1);
  const slots = integers(b.count);
  const usedIn = integers(b.count);
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

/** Returns the number of items each group has, where each item counts as many as its weight. */
export const groupCounts = (groups: WholeGroups, weights?: Int32Array): Float64Array =>
  weights ? sumsOf(groups, weights) : new Float64Array(groups.sizes);

/**
 * Returns the number of different owners the items of each group have.
 * @param owners of each item, as numbers below `count`, or `count` for none
 */
export const distinctIn = (groups: WholeGroups, owners: Owners): Float64Array =>
  groups.count <= BITS ? distinctByBit(groups, owners) : distinctByStamp(groups, owners);

/** The owner of each item, by a number below `count`. */
export type Owners = RowGroups;

const BITS = 32;

/** Counts distinct owners of few groups, in which each owner has a bit. */
function distinctByBit({ numbers, count }: RowGroups, owners: Owners): Float64Array {
  const found = floats(count);
  const seen = integers(owners.count + 1);
  seen[owners.count] = -1; // none is new nowhere
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] as number;
    const owner = owners.numbers[at] as number;
    const bits = seen[owner] as number;
    found[group] = (found[group] as number) + (~(bits >>> group) & 1);
    seen[owner] = bits | (1 << group);
  }
  return found;
}

/**
 * Group by group, each owner has the stamp of the group where it was last. TRICKY: memory is read in its order but for the
 * stamps, which a cache can hold; following an order of items by owner would wait for memory at each of them.
 */
function distinctByStamp({ numbers, count, sizes }: WholeGroups, owners: Owners): Float64Array {
  const ends = blank(Int32Array, count); // of those that are placed already: at first, where each group begins
  for (let group = 0, begin = 0; group < count; group++) {
    ends[group] = begin;
    begin += sizes[group] as number;
  }
  const byGroup = blank(Int32Array, numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] as number;
    const end = ends[group] as number;
    byGroup[end] = owners.numbers[at] as number;
    ends[group] = end + 1;
  }
  const found = floats(count);
  const stamps = integers(owners.count + 1);
  for (let group = 0, at = 0; group < count; group++) {
    const stamp = group + 1;
    const end = ends[group] as number;
    stamps[owners.count] = stamp; // none is new nowhere
    let different = 0;
    for (; at < end; at++) {
      const owner = byGroup[at] as number;
      const isOther = (stamps[owner] as number) - stamp;
      different += (isOther | -isOther) >>> 31; // TRICKY: 1 unless it is 0; a branch that cannot be foreseen takes longer
      stamps[owner] = stamp;
    }
    found[group] = different;
  }
  return found;
}

/** One item of each group; -1 of one without items. */
export function groupRepresentatives({ numbers, count }: WholeGroups): Int32Array {
  const samples = integers(count).fill(-1);
  for (let at = 0; at < numbers.length; at++) samples[numbers[at] as number] = at;
  return samples;
}

/** The first item of each group. */
export function firstsOf({ numbers, count }: RowGroups): Int32Array {
  const firsts = integers(count);
  for (let at = 0, group = 0; group < count && at < numbers.length; at++)
    if (numbers[at] === group) firsts[group++] = at;
  return firsts;
}

/** Returns the number of different values a column has in each group. */
export function differentIn({ numbers, count }: RowGroups, column: Numbers): Float64Array {
  const found = floats(count);
  for (const at of firstsOf(groupsOfAll([numbers, column], numbers.length)))
    found[numbers[at] as number] = (found[numbers[at] as number] as number) + 1;
  return found;
}

/** Yields what a column has for the items of each group that has some, to be moved at will. */
export function* valuesOfEach(groups: RowGroups, column: Numbers): Iterable<readonly [group: number, Float64Array]> {
  const { starts, order } = orderOf(groups);
  const values = blank(Float64Array, order.length);
  for (let nth = 0; nth < order.length; nth++) values[nth] = column[order[nth] as number] as number;
  for (let group = 0; group < groups.count; group++)
    if (starts[group] !== starts[group + 1]) yield [group, values.subarray(starts[group], starts[group + 1])];
}

/** Items group by group: those of group n are `order[starts[n]]` up to `order[starts[n + 1]]`. */
interface Ordered {
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

const known = new WeakMap<RowGroups, Ordered>();

/** By counting: as fast as reading the column twice. Several figures of the same groups need it. */
export function orderOf(groups: RowGroups): Ordered {
  const ordered = known.get(groups) ?? inOrder(groups);
  known.set(groups, ordered);
  return ordered;
}

function inOrder({ numbers, count }: RowGroups): Ordered {
  const starts = integers(count + 2); // a place further than at the end, as each moves to the next one
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) starts[group + 2] = (starts[group + 2] ?? 0) + 1;
  }
  for (let group = 2; group < starts.length; group++) starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
  const order = blank(Int32Array, starts[count + 1] ?? 0);
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
export function sumsOf({ numbers, count }: RowGroups, column: Numbers): Float64Array {
  const sums = floats(count);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) sums[group] = (sums[group] ?? 0) + (column[at] ?? 0);
  }
  return sums;
}

/** The least, or with sign -1 the greatest value of each group; NaN of nothing. */
export function extremesOf({ numbers, count }: RowGroups, column: Numbers, sign: 1 | -1): Float64Array {
  const best = floats(count).fill(NaN);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    const value = sign * (column[at] ?? 0);
    if (group >= 0 && !((best[group] ?? NaN) * sign <= value)) best[group] = sign * value;
  }
  return best;
}

/**
 * The latest item of each group; -1 of nothing.
 * @param places of the items that the groups are of, if they are not all
 */
export function latestOf({ numbers, count }: RowGroups, order: readonly Numbers[], places?: Int32Array): Int32Array {
  const isLater = (a: number, b: number) => {
    const decisive = order.find((column) => column[a] !== column[b]);
    return decisive !== undefined && (decisive[a] ?? 0) > (decisive[b] ?? 0);
  };
  const found = integers(count).fill(-1);
  for (let nth = 0; nth < numbers.length; nth++) {
    const group = numbers[nth] ?? -1;
    const at = places ? (places[nth] ?? 0) : nth;
    const last = found[group] ?? -1;
    if (group >= 0 && (last < 0 || isLater(at, last))) found[group] = at;
  }
  return found;
}
