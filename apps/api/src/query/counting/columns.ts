import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { bytes, floats, integers } from '@ledgerline/domain/session-days/scratch';
import type { ValueFilter } from '../query-type';

type Column = Numbers | Uint8Array;

/** What a column has at these places. */
export function gathered<C extends Column>(column: C, places: Int32Array): C {
  const found = zerosLike(column, places.length);
  for (let at = 0; at < places.length; at++) found[at] = column[places[at] ?? 0] ?? 0;
  return found as C; // of the same kind
}

/** The same of different places in ascending order; perhaps the column itself, so nothing may write to it. */
export const picked = <C extends Column>(column: C, places: Int32Array): C =>
  places.length === column.length ? column : gathered(column, places);

function zerosLike(column: Column, size: number): Column {
  if (column instanceof Int32Array) return integers(size);
  return column instanceof Float64Array ? floats(size) : bytes(size);
}

/** The places of a column that are not 0. */
export function placesWith(column: Int32Array | Uint8Array): Int32Array {
  const places = integers(column.length);
  let found = 0;
  for (let place = 0; place < column.length; place++) if (column[place] !== 0) places[found++] = place;
  return places.subarray(0, found);
}

/** Sets 0 where the id does not pass the filter. TRICKY: a bit for each id is several times faster than a set. */
export function dropUnmatched(ids: Numbers, { values, negated }: ValueFilter, isPassing: Uint8Array): void {
  const wanted = values.map(Number);
  const most = wanted.reduce((a, b) => Math.max(a, b), 0);
  const bits = integers((most >>> 5) + 1);
  for (const id of wanted) bits[id >>> 5] = (bits[id >>> 5] ?? 0) | (1 << (id & 31));
  const dropped = negated ? 1 : 0;
  for (let place = 0; place < isPassing.length; place++) {
    const id = ids[place] ?? 0;
    const bit = ((bits[id >>> 5] ?? 0) >>> (id & 31)) & 1;
    if (bit === dropped) isPassing[place] = 0;
  }
}
