import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { floats, integers } from './scratch';

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
  /** Of the column that is read. */
  private width = 0;
  private length = 0;
  private least = 0;
  private hasPalette = false;
  private isLarge = false;
  private readonly palette: number[] = [];

  /** @param at where the next column begins */
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {}

  /** Where the next column begins. */
  get place(): number {
    return this.at;
  }

  /** Goes to where a column begins. */
  seek(place: number): void {
    this.at = place;
  }

  /** The next column, which has so many numbers. */
  read(count: number): Numbers {
    return this.readInto(new Int32Array(count), 0, count);
  }

  /** The same into these places, where zeros are; answers a wider copy if the numbers do not fit. */
  readInto(values: Numbers, from: number, count: number): Numbers {
    if (!this.readHead()) return values;
    if (this.length !== count) throw new RangeError(`A column has ${this.length} numbers instead of ${count}.`);
    const target = this.isLarge && values instanceof Int32Array ? new Float64Array(values) : values;
    if (this.hasPalette) this.readPlaces(target, from, from + count);
    else this.readEntries(target, from, from + count);
    this.at += this.width * count;
    return target;
  }

  /** TRICKY: a loop for each width is several times faster than a function for each entry. */
  private readEntries(target: Numbers, from: number, to: number): void {
    const { bytes, width, least } = this;
    let at = this.at;
    if (width === 0) target.fill(least, from, to);
    else if (width === 1) for (let place = from; place < to; place++) target[place] = least + (bytes[at++] ?? 0);
    else if (width === 2) {
      for (let place = from; place < to; place++, at += 2)
        target[place] = least + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
    } else if (width <= 4) {
      for (let place = from; place < to; place++, at += width) {
        const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
        target[place] = least + low + (width === 4 ? (bytes[at + 3] ?? 0) * BYTE ** 3 : 0);
      }
    } else for (let place = from; place < to; place++, at += width) target[place] = least + entryOf(bytes, at, width);
  }

  /** The same of places in the palette, which have two bytes at most. */
  private readPlaces(target: Numbers, from: number, to: number): void {
    const { bytes, width, palette } = this;
    let at = this.at;
    if (width === 0) target.fill(palette[0] ?? 0, from, to);
    else if (width === 1) for (let place = from; place < to; place++) target[place] = palette[bytes[at++] ?? 0] ?? 0;
    else {
      for (let place = from; place < to; place++, at += 2)
        target[place] = palette[(bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)] ?? 0;
    }
  }

  /** What the next column, which has so many numbers, has at these places. */
  readAt(places: Int32Array, count: number): Numbers {
    if (places.length === count) return this.readInto(integers(count), 0, count);
    if (!this.readHead()) return integers(places.length);
    if (this.length !== count) throw new RangeError(`A column has ${this.length} numbers instead of ${count}.`);
    const { bytes, width, least, palette, at } = this;
    const values = this.isLarge ? floats(places.length) : integers(places.length);
    if (this.hasPalette) {
      for (let nth = 0; nth < places.length; nth++)
        values[nth] = palette[entryOf(bytes, at + width * (places[nth] ?? 0), width)] ?? 0;
    } else if (width === 1) {
      for (let nth = 0; nth < places.length; nth++) values[nth] = least + (bytes[at + (places[nth] ?? 0)] ?? 0);
    } else {
      for (let nth = 0; nth < places.length; nth++)
        values[nth] = least + entryOf(bytes, at + width * (places[nth] ?? 0), width);
    }
    this.at += width * count;
    return values;
  }

  /** Leaves out the next column. */
  skip(): void {
    if (this.readHead()) this.at += this.width * this.length;
  }

  /** False if every number is 0. TRICKY: kept in fields, as objects for each of very many columns take longer. */
  private readHead(): boolean {
    const first = this.bytes[this.at++];
    if (first === undefined) throw new RangeError('There is no further column.');
    if (first === 0) return false;
    if (Math.floor(first / VERSIONS_FROM) !== VERSION) throw new RangeError('The column has another layout.');
    this.width = first % HAS_PALETTE;
    this.hasPalette = (first & HAS_PALETTE) !== 0;
    this.length = this.varint();
    if (this.hasPalette) this.readPalette(this.varint());
    else {
      this.least = this.signed();
      this.isLarge = this.least + BYTE ** this.width > INT32 || this.least < -INT32;
    }
    return true;
  }

  private readPalette(size: number): void {
    this.isLarge = false;
    let value = 0;
    for (let place = 0; place < size; place++) {
      value += this.signed();
      this.palette[place] = value;
      if (value !== (value | 0)) this.isLarge = true;
    }
  }

  varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  signed(): number {
    const zigzag = this.varint();
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }
}

function entryOf(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let nth = width - 1; nth >= 0; nth--) value = value * BYTE + (bytes[at + nth] ?? 0);
  return value;
}

export class ByteWriter {
  private bytes = new Uint8Array(256);
  private size = 0;

  byte(value: number): void {
    if (this.size === this.bytes.length) this.grow(2 * this.size);
    this.bytes[this.size++] = value;
  }

  bytesOf(values: Uint8Array): void {
    const size = this.size + values.length;
    if (size > this.bytes.length) this.grow(2 * size);
    this.bytes.set(values, this.size);
    this.size = size;
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

  private grow(size: number): void {
    const larger = new Uint8Array(size);
    larger.set(this.bytes);
    this.bytes = larger;
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
