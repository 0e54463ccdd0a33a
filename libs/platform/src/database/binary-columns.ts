import { arrayLengthAt, bigintOf, elementsAt, epochMsOf } from './binary-format';
import { emptySql, sql, type Sql } from './sql';

/** A row of columns, each the bytes of all its values, big-endian and one after the other; null without values. */
export type Columns = Readonly<Record<string, string | null>>;

/**
 * TRICKY: the driver takes a microsecond to read a cell of a row, and a hundredth of it for a value in such bytes; it
 * takes the bytes themselves for text in UTF-8. Values that are null are left out. `order` is an `order by` of its own.
 */
export const integers = (value: Sql, order?: Sql): Sql => packed(sql`int4send(${value})`, order);
export const bigints = (value: Sql, order?: Sql): Sql => packed(sql`int8send(${value})`, order);
export const timestamps = (value: Sql, order?: Sql): Sql => packed(sql`timestamptz_send(${value})`, order);
/** Of bytes that hold integers; read by {@link readIntegers}. */
export const bytes = (value: Sql): Sql => packed(value);
/** Of integers, smallints, timestamps or uuids; read by {@link readArrays}. */
export const arrays = (value: Sql): Sql => packed(sql`array_send(${value})`);

const packed = (bytes: Sql, order = emptySql): Sql => sql`encode(string_agg(${bytes}, ''${order}), 'base64')`;

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

/** How to read an element of an array. */
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
