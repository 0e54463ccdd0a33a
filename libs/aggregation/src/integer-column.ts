import type { Numbers } from '@ledgerline/contracts/read-models/session-days';

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
/** The number of values of each width up to a word. */
const NUMBERS_OF = [1, BYTE, BYTE ** 2, BYTE ** 3, BYTE ** 4];
/** Bytes that are read at once. */
const WORD = 4;
/** The greatest number of values of a palette; places then have two bytes at most. */
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

/** The numbers of a column that are read: see {@link ColumnReader.readRows}. */
interface RowsOfColumn {
  readonly rows: Int32Array;
  readonly begin: number;
  readonly count: number;
}

/** Reads columns that lie end to end. */
export class ColumnReader {
  private readonly words: DataView;
  /** The layout of the column that is read, and where its entries begin. */
  private width = 0;
  private least = 0;
  private hasPalette = false;
  private isLarge = false;
  private entries = 0;
  /** The number of entries that begin a whole word, and which of its bits are theirs. */
  private wholeWords = 0;
  private mask = 0;
  private palette = new Float64Array();

  /** @param at where the next column begins */
  constructor(
    private readonly bytes: Uint8Array,
    private at = 0,
  ) {
    this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

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

  /**
   * Reads numbers into these places; answers a wider copy if they do not fit.
   * TRICKY: a loop for all widths up to a word, which it reads at once, is faster than bytes one by one.
   */
  readInto(values: Numbers, from: number, to: number): Numbers {
    const target = this.begin(values, to - from);
    const { words, width, entries, least, palette, mask } = this;
    if (width === 0) return target.fill(this.numberAt(0), from, to);
    const fast = Math.max(from, Math.min(to, from + this.wholeWords));
    let at = entries;
    if (this.hasPalette)
      for (let place = from; place < fast; place++, at += width)
        target[place] = palette[words.getUint32(at, true) & mask] as number;
    else
      for (let place = from; place < fast; place++, at += width)
        target[place] = least + ((words.getUint32(at, true) & mask) >>> 0);
    for (let place = fast; place < to; place++) target[place] = this.numberAt(place - from);
    return target;
  }

  /**
   * Reads some of the numbers of the next column, which has so many, into these places; answers a wider copy if they do
   * not fit.
   * @param rows by place: which number, counted from `begin`; they ascend
   */
  readRows(values: Numbers, from: number, to: number, { rows, begin, count }: RowsOfColumn): Numbers {
    const target = this.begin(values, count);
    const { words, width, entries, least, palette, mask } = this;
    if (width === 0) return target.fill(this.numberAt(0), from, to);
    const zero = entries - width * begin;
    const end = begin + this.wholeWords;
    let fast = to;
    while (fast > from && (rows[fast - 1] as number) >= end) fast--;
    if (this.hasPalette)
      for (let place = from; place < fast; place++)
        target[place] = palette[words.getUint32(zero + width * (rows[place] as number), true) & mask] as number;
    else
      for (let place = from; place < fast; place++)
        target[place] = least + ((words.getUint32(zero + width * (rows[place] as number), true) & mask) >>> 0);
    for (let place = fast; place < to; place++) target[place] = this.numberAt((rows[place] as number) - begin);
    return target;
  }

  /** Leaves out the next column. */
  skip(): void {
    this.readHead();
  }

  /** Returns what the next column is read into. */
  private begin(values: Numbers, count: number): Numbers {
    this.readHead(count);
    this.wholeWords =
      this.width > WORD ? 0 : Math.floor((this.words.byteLength - WORD - this.entries) / this.width) + 1;
    this.mask = -1 >>> Math.max(0, 8 * (WORD - this.width));
    return this.isLarge && values instanceof Int32Array ? new Float64Array(values) : values;
  }

  private numberAt(nth: number): number {
    const entry = entryOf(this.bytes, this.entries + this.width * nth, this.width);
    return this.hasPalette ? (this.palette[entry] as number) : this.least + entry;
  }

  /** Reads the layout of the next column, behind which the reader then is. TRICKY: kept in fields, as objects for each of very many columns take longer. */
  private readHead(count?: number): void {
    const first = this.bytes[this.at++];
    if (first === undefined) throw new RangeError('There is no further column.');
    if (first !== 0 && Math.floor(first / VERSIONS_FROM) !== VERSION)
      throw new RangeError('The column has another layout.');
    this.width = first % HAS_PALETTE;
    this.hasPalette = (first & HAS_PALETTE) !== 0;
    this.least = 0;
    this.isLarge = false;
    if (first === 0) return;
    const length = this.varint();
    if (count !== undefined && length !== count)
      throw new RangeError(`A column has ${length} numbers instead of ${count}.`);
    if (!this.hasPalette) {
      this.least = this.signed();
      this.isLarge = this.least < -INT32 || this.least + (NUMBERS_OF[this.width] ?? Infinity) > INT32;
    } else if (count === undefined) this.skipVarints(this.varint());
    else this.readPalette(this.varint());
    this.entries = this.at;
    this.at += this.width * length;
  }

  private skipVarints(count: number): void {
    for (let left = count; left > 0;) if ((this.bytes[this.at++] ?? 0) < 128) left--;
  }

  private readPalette(size: number): void {
    if (this.palette.length < size) this.palette = new Float64Array(2 * size);
    const { palette } = this;
    let value = 0;
    for (let place = 0; place < size; place++) {
      value += this.signed();
      palette[place] = value;
      if (value !== (value | 0)) this.isLarge = true;
    }
  }

  varint(): number {
    const { bytes } = this;
    let value = 0;
    let shift = 0;
    for (; shift < 28; shift += 7) {
      const byte = bytes[this.at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
    for (let factor = 2 ** shift; ; factor *= 128) {
      const byte = bytes[this.at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
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
    for (let left = value, done = 0; done < width; done++, left = Math.floor(left / BYTE)) this.byte(left % BYTE);
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
  let least = Infinity;
  let most = -Infinity;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return values.length === 0 ? [0, 0] : [least, most];
}

/** Counts how many bytes numbers up to this one take. */
function widthOf(most: number): number {
  let width = 0;
  for (let left = most; left >= 1; left = Math.floor(left / BYTE)) width++;
  return width;
}
