/** Numbers different values from 0 in the order in which they come. TRICKY: one is used again and again, as fresh memory is slow. */
export class Numbering {
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
    [this.values, this.numbers, this.rounds] = [new Float64Array(slots), new Int32Array(slots), new Int32Array(slots)];
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
