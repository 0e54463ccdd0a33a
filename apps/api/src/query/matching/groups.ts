/** Places by a value they have in common: those of group n are `order[starts[n]]` up to `order[starts[n + 1]]`. */
export interface Groups {
  readonly values: readonly number[];
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

/** Groups the places that have a weight by their value. */
export function groupBy(column: Int32Array, weights: Int32Array | Uint8Array): Groups {
  const values: number[] = [];
  const sizes: number[] = [];
  const numbers = numbering(column);
  const groupOf = new Int32Array(column.length);
  for (let place = 0; place < column.length; place++) {
    groupOf[place] = -1;
    if ((weights[place] ?? 0) <= 0) continue;
    const value = column[place] ?? 0;
    let group = numbers.get(value) ?? -1;
    if (group < 0) {
      group = values.push(value) - 1;
      numbers.set(value, group);
      sizes.push(0);
    }
    groupOf[place] = group;
    sizes[group] = (sizes[group] ?? 0) + 1;
  }
  return { values, ...sortedBy(groupOf, sizes) };
}

const LARGE = 2 ** 20;

interface Numbering {
  get(value: number): number | undefined;
  set(value: number, group: number): unknown;
}

/** The group of each value. An array is several times faster than a map, where values are small. */
function numbering(column: Int32Array): Numbering {
  let [least, most] = [0, 0];
  for (const value of column) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least < 0 || most >= LARGE) return new Map<number, number>();
  const groups = new Int32Array(most + 1).fill(-1);
  return { get: (value) => groups[value], set: (value, group) => (groups[value] = group) };
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

export function sumOf(column: Int32Array | Float64Array, places: Int32Array): number {
  let sum = 0;
  for (const place of places) sum += column[place] ?? 0;
  return sum;
}

/** The value at rank ⌊(n − 1) / 2⌋; null of nothing. */
export function medianOf(column: Float64Array, places: Int32Array): number | null {
  const values = new Float64Array(places.length);
  for (let at = 0; at < places.length; at++) values[at] = column[places[at] ?? 0] ?? 0;
  return values.sort()[Math.floor((values.length - 1) / 2)] ?? null;
}
