/** Places by a value they have in common: those of group n are `order[starts[n]]` up to `order[starts[n + 1]]`. */
export interface Groups {
  readonly values: readonly number[];
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

/** Groups the places that have a weight by their value. An array is several times faster than a map, where values are small. */
export function groupBy(column: Int32Array, weights: Int32Array | Uint8Array): Groups {
  const values: number[] = [];
  const sizes: number[] = [];
  const [small, others] = [smallNumbers(column, weights), new Map<number, number>()];
  const groupOf = new Int32Array(column.length).fill(-1);
  for (let place = 0; place < column.length; place++) {
    if ((weights[place] ?? 0) <= 0) continue;
    const value = column[place] ?? 0;
    let group = (small ? small[value] : others.get(value)) ?? -1;
    if (group < 0) {
      group = values.push(value) - 1;
      if (small) small[value] = group;
      else others.set(value, group);
      sizes.push(0);
    }
    groupOf[place] = group;
    sizes[group] = (sizes[group] ?? 0) + 1;
  }
  return { values, ...sortedBy(groupOf, sizes) };
}

const LARGE = 2 ** 20;

/** A place for each value that has a weight, -1; undefined if there are large or negative ones. */
function smallNumbers(column: Int32Array, weights: Int32Array | Uint8Array): Int32Array | undefined {
  let most = 0;
  for (let place = 0; place < column.length; place++) {
    const value = (weights[place] ?? 0) > 0 ? (column[place] ?? 0) : 0;
    if (value < 0 || value >= LARGE) return undefined;
    if (value > most) most = value;
  }
  return new Int32Array(most + 1).fill(-1);
}

/** By counting: as fast as reading the column twice. */
function sortedBy(groupOf: Int32Array, sizes: readonly number[]): Omit<Groups, 'values'> {
  const starts = new Int32Array(sizes.length + 1);
  for (const [group, size] of sizes.entries()) starts[group + 1] = (starts[group] ?? 0) + size;
  const next = starts.slice();
  const order = new Int32Array(starts.at(-1) ?? 0);
  for (let place = 0; place < groupOf.length; place++) {
    const group = groupOf[place] ?? -1;
    if (group < 0) continue;
    const at = next[group] ?? 0;
    order[at] = place;
    next[group] = at + 1;
  }
  return { starts, order };
}

/** The places of a group. */
export const placesOf = ({ order, starts }: Groups, group: number): Int32Array =>
  order.subarray(starts[group], starts[group + 1]);

export const sizeOf = ({ starts }: Groups, group: number): number => (starts[group + 1] ?? 0) - (starts[group] ?? 0);

/** The visitor of the session at each of these places. */
export const visitorsOf = (places: Int32Array, visitors: Int32Array): Int32Array =>
  places.map((place) => visitors[place] ?? -1);

/** How many different visitors, or other things numbered from 0, each group has; -1 is none. */
export function distinctVisitors(groups: Groups, visitors: Int32Array, visitorCount: number): number[] {
  const seenIn = new Int32Array(visitorCount).fill(-1);
  return groups.values.map((_, group) => {
    let distinct = 0;
    for (const place of placesOf(groups, group)) {
      const visitor = visitors[place] ?? -1;
      if (visitor < 0 || seenIn[visitor] === group) continue;
      seenIn[visitor] = group;
      distinct++;
    }
    return distinct;
  });
}

export function sumOf(column: Int32Array | Float64Array | Uint8Array, places: Int32Array): number {
  let sum = 0;
  for (const place of places) sum += column[place] ?? 0;
  return sum;
}

/** The value at rank ⌊(n − 1) / 2⌋; null of nothing. */
export function medianOf(column: Float64Array, places: Int32Array): number | null {
  const values = new Float64Array(places.length);
  for (let at = 0; at < places.length; at++) values[at] = column[places[at] ?? 0] ?? 0;
  const rank = Math.floor((values.length - 1) / 2);
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const [until, from] = partition(values, low, high);
    if (rank <= until) high = until;
    else if (rank >= from) low = from;
    else break;
  }
  return values[rank] ?? null;
}

/**
 * Moves the smaller values between two places before the greater ones: none up to the first place of the answer is
 * greater than one from the second place on, and those between are equal. Around a random value, as no order of the
 * values makes that slow.
 */
function partition(values: Float64Array, low: number, high: number): readonly [until: number, from: number] {
  const pivot = values[low + Math.floor(Math.random() * (high - low + 1))] ?? 0;
  let [left, right] = [low, high];
  while (left <= right) {
    while ((values[left] ?? 0) < pivot) left++;
    while ((values[right] ?? 0) > pivot) right--;
    if (left > right) break;
    const smaller = values[right] ?? 0;
    values[right--] = values[left] ?? 0;
    values[left++] = smaller;
  }
  return [right, left];
}
