import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { floats, integers } from '@ledgerline/domain/session-days/scratch';

/** What different values are numbered by, from 0 in the order in which they come; -1 = none. */
export interface Numbered {
  readonly numbers: Int32Array;
  /** How many different ones. */
  readonly count: number;
}

const DIRECT = 2 ** 22;

/** The different values of a column, those of which `isIn` is 0 left out; negative ones are none. */
export function numbered(column: Numbers, isIn?: Uint8Array): Numbered {
  let most = 0;
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? 0;
    if (value > most) most = value;
  }
  const slots = most < DIRECT ? new DirectSlots(most) : new HashedSlots(column.length);
  const numbers = integers(column.length).fill(-1);
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? 0;
    if (value >= 0 && isIn?.[at] !== 0) numbers[at] = slots.numberOf(value);
  }
  return { numbers, count: slots.used };
}

/** The different combinations of the values of some columns of equal length; of no columns there is one. */
export function numberedTogether(columns: readonly Numbers[], size: number, isIn?: Uint8Array): Numbered {
  const [first, ...others] = columns;
  if (first === undefined) return { numbers: isIn ? numbersOf(isIn) : integers(size), count: 1 };
  return others.reduce((before, column) => numberedPairs(before, numbered(column, isIn)), numbered(first, isIn));
}

/** One number for all of them. */
function numbersOf(isIn: Uint8Array): Int32Array {
  const numbers = integers(isIn.length);
  for (let at = 0; at < isIn.length; at++) numbers[at] = isIn[at] === 0 ? -1 : 0;
  return numbers;
}

function numberedPairs(a: Numbered, b: Numbered): Numbered {
  const pairs = floats(a.numbers.length);
  for (let at = 0; at < pairs.length; at++) {
    const [first, second] = [a.numbers[at] ?? -1, b.numbers[at] ?? -1];
    pairs[at] = first < 0 || second < 0 ? -1 : first * b.count + second;
  }
  return numbered(pairs);
}

/** A slot for each possible value: several times faster than hashing, where values are small. */
class DirectSlots {
  used = 0;
  private readonly numbers: Int32Array;

  constructor(most: number) {
    this.numbers = integers(most + 1).fill(-1);
  }

  numberOf(value: number): number {
    const known = this.numbers[value] ?? -1;
    return known >= 0 ? known : (this.numbers[value] = this.used++);
  }
}

/** Open addressing; at most half of the slots are used. */
class HashedSlots {
  used = 0;
  private readonly values: Float64Array;
  private readonly numbers: Int32Array;

  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.values = floats(slots);
    this.numbers = integers(slots).fill(-1);
  }

  numberOf(value: number): number {
    const mask = this.numbers.length - 1;
    for (let slot = scattered(value) & mask; ; slot = (slot + 1) & mask) {
      const known = this.numbers[slot] ?? -1;
      if (known >= 0 && this.values[slot] !== value) continue;
      if (known >= 0) return known;
      this.values[slot] = value;
      return (this.numbers[slot] = this.used++);
    }
  }
}

function scattered(value: number): number {
  const hash = Math.imul((value >>> 0) ^ Math.imul(value / 2 ** 32, 0x85ebca6b), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
