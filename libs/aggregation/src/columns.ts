import type {
  Numbers,
  SessionChunk,
  SessionField,
  Unit,
  UnitColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { blank, floats, integers, remember, rememberOf } from './scratch';

type Column = Numbers | Uint8Array;
/** 0 = left out. */
export type SelectionMask = Int32Array | Uint8Array;

/** Returns what a column has at these places. */
export function take<C extends Column>(column: C, places: Int32Array): C {
  const found = blankLike(column, places.length);
  for (let at = 0; at < places.length; at++) found[at] = column[places[at] as number] as number;
  return found as C; // of the same kind
}

function blankLike(column: Column, size: number): Column {
  if (column instanceof Int32Array) return blank(Int32Array, size);
  return column instanceof Float64Array ? blank(Float64Array, size) : blank(Uint8Array, size);
}

/** Sessions of which columns are decoded when they are asked for. */
export interface PackedSessions extends SessionChunk {
  /** Returns the sessions at these places, which ascend: nothing of others is decoded. */
  readonly take: (places: Int32Array) => SessionChunk;
}

/** The sessions at these places, which ascend. */
export const takeSessions = (chunk: SessionChunk | PackedSessions, places: Int32Array): SessionChunk =>
  'take' in chunk
    ? chunk.take(places)
    : {
        size: places.length,
        field: remember((name: SessionField) => take(chunk.field(name), places)),
        unit: remember((name: Unit) => unitsOf(chunk.unit(name), places)),
      };

function unitsOf({ counts, field }: UnitColumns, places: Int32Array): UnitColumns {
  const units = unitsAt(counts, places);
  return {
    counts: take(counts, places),
    size: units.length,
    field: remember((name: string) => take(field(name), units)),
  };
}

/**
 * The session of each unit, by how many units each session has.
 * TRICKY: by counting, as a loop over the few units of each session waits at its end, which cannot be foreseen.
 */
export const ownersOf = rememberOf((counts: Int32Array): Int32Array => {
  const owners = integers(sumOf(counts) + 1);
  for (let place = 0, start = 0; place < counts.length; place++) {
    owners[start] = (owners[start] as number) + 1;
    start += counts[place] as number;
  }
  for (let at = 0, owner = -1; at < owners.length; at++) owners[at] = owner += owners[at] as number;
  return owners.subarray(0, -1);
});

/**
 * The places of the units of sessions at these places, which ascend, by how many units each session has.
 * TRICKY: each unit lies behind as many that are left out as the one before it, but for the first of a session; so without a
 * loop over the few units of each session, as in {@link ownersOf}.
 */
export function unitsAt(counts: Int32Array, places: Int32Array): Int32Array {
  const starts = blank(Int32Array, counts.length);
  for (let place = 0, start = 0; place < counts.length; place++) {
    starts[place] = start;
    start += counts[place] as number;
  }
  let wanted = 0;
  for (let nth = 0; nth < places.length; nth++) wanted += counts[places[nth] as number] as number;
  const units = integers(wanted + 1);
  for (let nth = 0, at = 0, leftOut = 0; nth < places.length; nth++) {
    const place = places[nth] as number;
    const before = (starts[place] as number) - at;
    units[at] = (units[at] as number) + before - leftOut;
    leftOut = before;
    at += counts[place] as number;
  }
  for (let at = 0, leftOut = 0; at < wanted; at++) {
    leftOut += units[at] as number;
    units[at] = at + leftOut;
  }
  return units.subarray(0, wanted);
}

export function sumOf(counts: Int32Array): number {
  let sum = 0;
  for (let at = 0; at < counts.length; at++) sum += counts[at] ?? 0;
  return sum;
}

/** The places of a column of this size. */
export function everyRow(size: number): Int32Array {
  const places = blank(Int32Array, size);
  for (let place = 0; place < size; place++) places[place] = place;
  return places;
}

/** All of these columns in one. */
export function endToEnd(columns: readonly Numbers[]): Numbers {
  const [only] = columns;
  if (only && columns.length === 1) return only;
  const size = columns.reduce((sum, { length }) => sum + length, 0);
  const isWide = columns.some((column) => column instanceof Float64Array);
  const values = isWide ? floats(size) : integers(size);
  let from = 0;
  for (const column of columns) {
    values.set(column, from);
    from += column.length;
  }
  return values;
}

/** Leaves of the marks those of items that are in, and answers them. */
export function intersectMasks(isIn: Int32Array | Uint8Array, marks: Uint8Array): Uint8Array {
  for (let at = 0; at < marks.length; at++) if (isIn[at] === 0) marks[at] = 0;
  return marks;
}

/** 1 unless an integer is 0. TRICKY: without a branch, as one that cannot be foreseen takes longer than all else in a loop. */
export const isNotZero = (value: number): 0 | 1 => ((value | (0 - value)) >>> 31) as 0 | 1;

/** The places of a column that are not 0. */
export function rowsWhere(column: SelectionMask | Float64Array): Int32Array {
  let size = 0;
  for (let place = 0; place < column.length; place++) size += isNotZero(column[place] as number);
  const places = blank(Int32Array, size + 1); // one more, as each place is written before it is known to be wanted
  for (let place = 0, found = 0; place < column.length; place++) {
    places[found] = place;
    found += isNotZero(column[place] as number);
  }
  return places.subarray(0, size);
}

/** Returns whether none of a column is 0. */
export function isFull(column: Column): boolean {
  for (let place = 0; place < column.length; place++) if (column[place] === 0) return false;
  return true;
}

/** The values that would be at these ascending ranks (from 0) if all were sorted; NaN where there is none. It moves them. */
export function valuesAtRanks(values: Float64Array, ranks: readonly number[]): number[] {
  let least = 0;
  return ranks.map((rank) => {
    let low = least;
    let high = values.length - 1;
    while (low < high) {
      const [until, from] = partition(values, low, high);
      if (rank <= until) high = until;
      else if (rank >= from) low = from;
      else break;
    }
    least = Math.max(rank, 0);
    return values[rank] ?? NaN;
  });
}

/**
 * Moves the smaller values between two places before the greater ones: none up to the first place of the answer is
 * greater than one from the second place on, and those between are equal. Around a random value, as no order of the
 * values makes that slow.
 */
function partition(values: Float64Array, low: number, high: number): readonly [until: number, from: number] {
  const pivot = values[low + Math.floor(Math.random() * (high - low + 1))] ?? 0;
  let left = low;
  let right = high;
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

/** Numbers different values from 0 in the order in which they come. TRICKY: one is used again and again, as fresh memory is slow. */
export class DenseCodes {
  size = 0;
  private slots = 0;
  private round = 0;
  private values = new Float64Array();
  private numbers = new Int32Array();
  /** The round in which each slot was last used: so nothing has to be emptied. */
  private rounds = new Int32Array();

  /** Forgets all values; at most so many different ones follow. */
  clear(most: number): void {
    this.size = 0;
    this.round++;
    const slots = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.slots = slots;
    if (slots <= this.values.length) return;
    this.values = new Float64Array(slots);
    this.numbers = new Int32Array(slots);
    this.rounds = new Int32Array(slots);
    this.round = 1;
  }

  /** @param value an integer up to 2^53 */
  numberOf(value: number): number {
    const slot = this.slotOf(value);
    if (this.rounds[slot] === this.round) return this.numbers[slot] as number;
    this.rounds[slot] = this.round;
    this.values[slot] = value;
    this.numbers[slot] = this.size;
    return this.size++;
  }

  /** -1 = it has none. */
  find(value: number): number {
    const slot = this.slotOf(value);
    return this.rounds[slot] === this.round ? (this.numbers[slot] as number) : -1;
  }

  private slotOf(value: number): number {
    const { round, rounds, values } = this;
    const last = this.slots - 1;
    let slot = hashOf(value) & last;
    while (rounds[slot] === round && values[slot] !== value) slot = (slot + 1) & last;
    return slot;
  }
}

function hashOf(value: number): number {
  const hash = Math.imul((value >>> 0) ^ Math.imul(value / 2 ** 32, 0x85ebca6b), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
