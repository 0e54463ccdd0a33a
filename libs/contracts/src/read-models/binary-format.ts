/** The binary format in which Postgres sends and takes values; numbers are big-endian. */

const MS_TO_2000 = 946_684_800_000;
const HIGH = 2 ** 32;

/** Bytes of a one-dimensional array before its elements, each of which follows its length; an empty one has no dimension. */
export const ARRAY_HEADER = 20;
export const EMPTY_ARRAY_HEADER = 12;

/** Returns the number of elements the array at a place has. */
export const arrayLengthAt = (bytes: Buffer, at: number): number =>
  bytes.readInt32BE(at) === 0 ? 0 : bytes.readInt32BE(at + 12);

/** Where the elements of the array at a place begin. */
export const elementsAt = (at: number, length: number): number =>
  at + (length === 0 ? EMPTY_ARRAY_HEADER : ARRAY_HEADER);

/** Writes the header of an array without or with elements; answers the place after it. */
export function writeArrayHeader(into: Buffer, at: number, oid: number, length: number, hasNull: boolean): number {
  into.writeInt32BE(length === 0 ? 0 : 1, at);
  into.writeInt32BE(hasNull ? 1 : 0, at + 4);
  into.writeInt32BE(oid, at + 8);
  if (length === 0) return at + EMPTY_ARRAY_HEADER;
  into.writeInt32BE(length, at + 12);
  into.writeInt32BE(1, at + 16);
  return at + ARRAY_HEADER;
}

/** A bigint as a number: exact up to 2^53. */
const bigintOf = (high: number, low: number): number => high * HIGH + low;

const bigintAt = (bytes: Buffer, at: number): number => bigintOf(bytes.readInt32BE(at), bytes.readUInt32BE(at + 4));

/** Answers the place after it. */
export function writeBigint(into: Buffer, at: number, value: number): number {
  const high = Math.floor(value / HIGH);
  into.writeInt32BE(high, at);
  return into.writeUInt32BE(value - high * HIGH, at + 4);
}

/** Epoch ms of a timestamptz, which is sent as microseconds since 2000. */
const epochMsOf = (micros: number): number => MS_TO_2000 + Math.floor(micros / 1000);

export const timestampAt = (bytes: Buffer, at: number): number => epochMsOf(bigintAt(bytes, at));

/** The microseconds of epoch ms, as {@link epochMsOf} reads them. */
export const microsOf = (epochMs: number): number => (epochMs - MS_TO_2000) * 1000;

/** A row of columns, each the bytes of all its values, big-endian and one after the other; null without values. */
export type BinaryColumns = Readonly<Record<string, string | null>>;

/** In memory of its own, as typed arrays begin at multiples of their elements. */
function bytesOf(column: string | null | undefined): Buffer {
  const bytes = Buffer.from(column ?? '', 'base64');
  return bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer);
}

const wordsOf = ({ buffer, byteOffset, length }: Buffer): Int32Array =>
  new Int32Array(buffer as ArrayBuffer, byteOffset, length / 4);

export const readIntegers = (column: string | null | undefined): Int32Array => wordsOf(bytesOf(column).swap32());

/** Two words of each bigint, the lower one first. */
export const readWords = (column: string | null | undefined): Int32Array => wordsOf(bytesOf(column).swap64());

export function readBigints(column: string | null | undefined): Float64Array {
  const words = readWords(column);
  const values = new Float64Array(words.length / 2);
  for (let at = 0; at < values.length; at++) values[at] = bigintOf(words[2 * at + 1] ?? 0, (words[2 * at] ?? 0) >>> 0);
  return values;
}

/** In epoch ms. */
export function readTimestamps(column: string | null | undefined): Float64Array {
  const values = readBigints(column);
  for (let at = 0; at < values.length; at++) values[at] = epochMsOf(values[at] ?? 0);
  return values;
}

/** Tells how to read an element of an array. */
export const integerAt = (bytes: Buffer, at: number): number => bytes.readInt32BE(at);
export const smallintAt = (bytes: Buffer, at: number): number => bytes.readInt16BE(at);

/** Bytes of the shortest element with its length. */
const LEAST = 6;

/** All elements of a column of arrays, and how many each array has: after its header, each element follows its length. */
export function readArrays(
  column: string | null | undefined,
  valueAt: (bytes: Buffer, at: number) => number,
): { readonly values: Float64Array; readonly lengths: readonly number[] } {
  const bytes = bytesOf(column);
  const values = new Float64Array(Math.floor(bytes.length / LEAST));
  const lengths: number[] = [];
  let read = 0;
  for (let at = 0; at < bytes.length;) {
    const length = arrayLengthAt(bytes, at);
    at = elementsAt(at, length);
    for (let left = length; left > 0; left--) {
      values[read++] = valueAt(bytes, at + 4);
      at += 4 + bytes.readInt32BE(at);
    }
    lengths.push(length);
  }
  return { values: values.subarray(0, read), lengths };
}

/**
 * Reads the columns of one row, in order, out of `record_send(row(…))`. The driver reads rows as texts only; a row of
 * arrays as one binary value is read several times faster.
 */
export class BinaryRowReader {
  private at = 4;

  constructor(private readonly bytes: Buffer) {}

  boolean(): boolean {
    return this.bytes.readUInt8(this.next()) !== 0;
  }

  smallint(): number {
    return this.bytes.readInt16BE(this.next());
  }

  integer(): number {
    return this.bytes.readInt32BE(this.next());
  }

  bigint(): number {
    return bigintAt(this.bytes, this.next());
  }

  /** In epoch ms. */
  timestamp(): number {
    return timestampAt(this.bytes, this.next());
  }

  timestampOrNull(): number | null {
    return this.isNull() ? null : this.timestamp();
  }

  integerOrNull(): number | null {
    return this.isNull() ? null : this.integer();
  }

  /** As 32 hex digits. */
  uuid(): string {
    const at = this.next();
    return this.bytes.toString('hex', at, at + 16);
  }

  smallints(): number[] {
    return this.array((at) => this.bytes.readInt16BE(at));
  }

  integers(): number[] {
    return this.array((at) => this.bytes.readInt32BE(at));
  }

  /** The places of the elements of an array of uuids, for {@link uuidAt}: most are never looked at. */
  placesOfUuids(): number[] {
    return this.array((at) => at);
  }

  uuidAt(place: number): string {
    return this.bytes.toString('hex', place, place + 16);
  }

  /** In epoch ms. */
  timestamps(): number[] {
    return this.array((at) => timestampAt(this.bytes, at));
  }

  /** Returns whether the next column is null; steps over it then. */
  private isNull(): boolean {
    if (this.bytes.readInt32BE(this.at + 4) >= 0) return false;
    this.at += 8;
    return true;
  }

  /** Steps over the next column (type, length, value) and answers where its value begins; a null is not expected. */
  private next(): number {
    const value = this.at + 8;
    this.at = value + this.bytes.readInt32BE(this.at + 4);
    return value;
  }

  /** Reads a one-dimensional array without nulls. */
  private array<T>(element: (at: number) => T): T[] {
    const start = this.next();
    const length = arrayLengthAt(this.bytes, start);
    const elements: T[] = [];
    let at = elementsAt(start, length);
    for (let place = 0; place < length; place++) {
      elements.push(element(at + 4));
      at += 4 + this.bytes.readInt32BE(at);
    }
    return elements;
  }
}
