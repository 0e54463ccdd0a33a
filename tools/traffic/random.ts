/** A seeded generator of random numbers (sfc32): the same seeds give the same numbers on every machine. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /** Further seeds name a stream of its own, so that each person's behaviour is independent of the others. */
  constructor(seed: number, stream = 0, place = 0) {
    this.a = scramble(seed ^ 0x9e3779b9);
    this.b = scramble(stream ^ this.a);
    this.c = scramble(place ^ this.b);
    for (let round = 0; round < 12; round++) this.bits();
  }

  /** 32 random bits, as an unsigned integer. */
  bits(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    return this.bits() / 4_294_967_296;
  }

  /** A whole number from 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Waiting times and dwell times: many short ones, few long ones. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** Lower-case hexadecimal digits, eight at a time. */
  hex(digits: 8 | 16 | 32): string {
    let text = '';
    while (text.length < digits) text += this.bits().toString(16).padStart(8, '0');
    return text;
  }

  fill(bytes: Buffer): Buffer {
    for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(this.bits(), at);
    return bytes;
  }
}

/** The finalizer of MurmurHash3: neighbouring seeds become unrelated ones. */
function scramble(seed: number): number {
  let bits = seed | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
