const WORDS = 4;

/** Numbers different uuids from 0, in the order in which they come; a uuid is four words. */
export class UuidNumbers {
  /** The place of a uuid in `known`, plus one; 0 = free. At most half of it is used. */
  private readonly slots: Int32Array;
  private readonly known: Int32Array;
  private used = 0;

  /** For at most so many different ones. */
  constructor(most: number) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)));
    this.known = new Int32Array(WORDS * most);
  }

  get size(): number {
    return this.used;
  }

  /** The number of the uuid at a place of a column. */
  numberOf(column: Int32Array, place: number): number {
    const mask = this.slots.length - 1;
    const at = WORDS * place;
    for (let slot = scattered(column, at) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.slots[slot] ?? 0) - 1;
      if (number >= 0 && !this.is(number, column, at)) continue;
      if (number >= 0) return number;
      this.slots[slot] = this.used + 1;
      for (let word = 0; word < WORDS; word++) this.known[WORDS * this.used + word] = column[at + word] ?? 0;
      return this.used++;
    }
  }

  private is(number: number, column: Int32Array, at: number): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (this.known[WORDS * number + word] !== column[at + word]) return false;
    }
    return true;
  }
}

/** Ids are hashes mostly, but a client's own may share any of their words. */
function scattered(column: Int32Array, at: number): number {
  let hash = 0;
  for (let word = 0; word < WORDS; word++) hash = Math.imul(hash ^ (column[at + word] ?? 0), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
