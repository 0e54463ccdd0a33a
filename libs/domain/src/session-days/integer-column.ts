import type { Numbers } from './session-chunk';

/**
 * A column of integers as bytes, little-endian:
 *
 * - byte 0: {@link VERSION} · 32 + 16 if there is a palette + the width in bytes of an entry (0 to 7)
 * - varint: the count of numbers
 * - without a palette: the least number as a signed varint, then each number less that one
 * - with a palette: varint of its size, its numbers in ascending order as signed varints of the difference to the one
 *   before, then the place of each number in it
 *
 * A varint is LEB128; signed ones are zigzag. A single byte 0 stands for a column in which every number is 0. As a
 * column says how long it is, columns can lie end to end.
 */
const VERSION = 1;
const HAS_PALETTE = 16;
const VERSIONS_FROM = 32;
const BYTE = 256;
const INT32 = 2 ** 31;
/** Of a palette; places then have two bytes at most. */
const MOST_VALUES = 65_536;

export const ALL_ZERO = new Uint8Array([0]);

/** The bytes of these integers (−2^52 to 2^52). */
export function encodeIntegers(values: Numbers): Uint8Array {
  const palette = paletteOf(values);
  if (palette.length === 1 && palette[0] === 0) return ALL_ZERO;
  const [least, most] = boundsOf(values);
  const width = widthOf(most - least);
  const placeWidth = widthOf(palette.length - 1);
  const isShorter = palette.length > 0 && 3 * palette.length + placeWidth * values.length < width * values.length;
  const bytes = new ByteWriter();
  bytes.byte(VERSION * VERSIONS_FROM + (isShorter ? HAS_PALETTE + placeWidth : width));
  bytes.varint(values.length);
  if (!isShorter) {
    bytes.signed(least);
    for (const value of values) bytes.entry(value - least, width);
    return bytes.written();
  }
  bytes.varint(palette.length);
  let before = 0;
  for (const value of palette) {
    bytes.signed(value - before);
    before = value;
  }
  const places = new Map(palette.map((value, place) => [value, place]));
  for (const value of values) bytes.entry(places.get(value) ?? 0, placeWidth);
  return bytes.written();
}

/** Reads columns that lie end to end. */
export class ColumnReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The next column, which has so many numbers. */
  read(count: number): Numbers {
    const head = this.head();
    if (!head) return new Int32Array(count);
    const { width, length, palette, least } = head;
    if (length !== count) throw new RangeError(`A column has ${length} numbers instead of ${count}.`);
    const isLarge = palette
      ? palette.some((value) => value !== (value | 0))
      : least + BYTE ** width > INT32 || least < -INT32;
    const values = isLarge ? new Float64Array(count) : new Int32Array(count);
    const entryAt = ENTRY_AT[width] ?? entryOf;
    for (let place = 0, at = this.at; place < count; place++, at += width) {
      const entry = entryAt(this.bytes, at, width);
      values[place] = palette ? (palette[entry] ?? 0) : least + entry;
    }
    this.at += width * count;
    return values;
  }

  /** Leaves out the next column, and answers how many numbers it has; undefined if every number is 0. */
  skip(): number | undefined {
    const head = this.head();
    if (head) this.at += head.width * head.length;
    return head?.length;
  }

  private head() {
    const first = this.bytes[this.at++];
    if (first === undefined) throw new RangeError('There is no further column.');
    if (first === 0) return undefined;
    if (Math.floor(first / VERSIONS_FROM) !== VERSION) throw new RangeError('The column has another layout.');
    const width = first % HAS_PALETTE;
    const length = this.varint();
    if ((first & HAS_PALETTE) === 0) return { width, length, least: this.signed() };
    const palette = new Float64Array(this.varint());
    let before = 0;
    for (let place = 0; place < palette.length; place++) before = palette[place] = before + this.signed();
    return { width, length, least: 0, palette };
  }

  private varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  private signed(): number {
    const zigzag = this.varint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }
}

/** TRICKY: by width, which the engine inlines; most entries have one byte. */
const ENTRY_AT: readonly ((bytes: Uint8Array, at: number, width: number) => number)[] = [
  () => 0,
  (bytes, at) => bytes[at] ?? 0,
  (bytes, at) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8),
  (bytes, at) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16),
];

function entryOf(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let nth = width - 1; nth >= 0; nth--) value = value * BYTE + (bytes[at + nth] ?? 0);
  return value;
}

class ByteWriter {
  private bytes = new Uint8Array(256);
  private size = 0;

  byte(value: number): void {
    if (this.size === this.bytes.length) {
      const larger = new Uint8Array(2 * this.size);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.size++] = value;
  }

  varint(value: number): void {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.byte((left % 128) + 128);
    this.byte(left);
  }

  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  entry(value: number, width: number): void {
    for (let [left, done] = [value, 0]; done < width; done++, left = Math.floor(left / BYTE)) this.byte(left % BYTE);
  }

  written(): Uint8Array {
    return this.bytes.slice(0, this.size);
  }
}

/** The different values in ascending order; none if there are too many. */
function paletteOf(values: Numbers): readonly number[] {
  const different = new Set<number>();
  for (const value of values) {
    different.add(value);
    if (different.size > MOST_VALUES || 2 * different.size > values.length + 2) return [];
  }
  return [...different].sort((a, b) => a - b);
}

function boundsOf(values: Numbers): readonly [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return values.length === 0 ? [0, 0] : [least, most];
}

/** How many bytes numbers up to this one take. */
function widthOf(most: number): number {
  let width = 0;
  for (let left = most; left >= 1; left = Math.floor(left / BYTE)) width++;
  return width;
}
