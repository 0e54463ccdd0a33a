import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { ValueFilter } from '../query-type';

/** The numbers at some places of columns, one after the other; perhaps the column itself, so nothing may write to them. */
export function pick(columns: readonly (readonly [Numbers, places: Int32Array])[]): Numbers {
  const [only] = columns;
  if (only && columns.length === 1 && only[0].length === only[1].length) return only[0];
  const size = columns.reduce((total, [, places]) => total + places.length, 0);
  const isInteger = columns.every(([numbers]) => numbers instanceof Int32Array);
  const picked = isInteger ? new Int32Array(size) : new Float64Array(size);
  let at = 0;
  for (const [numbers, places] of columns) {
    if (places.length === numbers.length) picked.set(numbers, at);
    else for (let nth = 0; nth < places.length; nth++) picked[at + nth] = numbers[places[nth] ?? 0] ?? 0;
    at += places.length;
  }
  return picked;
}

/** Columns, one after the other. */
export function joined(columns: readonly Int32Array[]): Int32Array {
  const [only] = columns;
  if (only && columns.length === 1) return only;
  const all = new Int32Array(columns.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** Sets 0 where the number does not pass the filter. */
export function dropUnmatched(numbers: Numbers, { values, negated }: ValueFilter, isSelected: Int32Array): void {
  const [only] = values;
  const wanted: ReadonlySet<unknown> = new Set(values);
  const isOne = wanted.size === 1; // comparing is much faster
  for (let place = 0; place < isSelected.length; place++) {
    const number = numbers[place];
    if ((isOne ? number === only : wanted.has(number)) === negated) isSelected[place] = 0;
  }
}

/** The places that are 1. */
export function selectedPlaces(isSelected: Int32Array): Int32Array {
  const places = new Int32Array(isSelected.length);
  let size = 0;
  for (let place = 0; place < isSelected.length; place++) if (isSelected[place] === 1) places[size++] = place;
  return places.subarray(0, size);
}

export const asIntegers = (numbers: Numbers): Int32Array =>
  numbers instanceof Int32Array ? numbers : new Int32Array(numbers);

export function sum(some: Int32Array, others: Int32Array): Int32Array {
  const sums = some.slice();
  for (let place = 0; place < sums.length; place++) sums[place] = (sums[place] ?? 0) + (others[place] ?? 0);
  return sums;
}

/** -1 of nothing. */
export function greatest(numbers: Int32Array): number {
  let most = -1;
  for (let place = 0; place < numbers.length; place++) most = Math.max(most, numbers[place] ?? -1);
  return most;
}

/** The same function, which makes each thing once. */
export function remember<Name, Made>(make: (name: Name) => Made): (name: Name) => Made {
  const made = new Map<Name, Made>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}
