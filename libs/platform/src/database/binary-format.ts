/** How Postgres sends and takes values in its binary format; numbers are big-endian. */

const MS_TO_2000 = 946_684_800_000;
const HIGH = 2 ** 32;

/** Bytes of a one-dimensional array before its elements, each of which follows its length; an empty one has no dimension. */
export const ARRAY_HEADER = 20;
export const EMPTY_ARRAY_HEADER = 12;

/** How many elements the array at a place has. */
export const arrayLengthAt = (bytes: Buffer, at: number): number =>
  bytes.readInt32BE(at) === 0 ? 0 : bytes.readInt32BE(at + 12);

/** Where the elements of the array at a place begin. */
export const elementsAt = (at: number, length: number): number =>
  at + (length === 0 ? EMPTY_ARRAY_HEADER : ARRAY_HEADER);

/** Writes the header of an array without or with elements. */
export function writeArrayHeader(into: Buffer, oid: number, length: number, hasNull: boolean): void {
  into.writeInt32BE(length === 0 ? 0 : 1, 0);
  into.writeInt32BE(hasNull ? 1 : 0, 4);
  into.writeInt32BE(oid, 8);
  if (length === 0) return;
  into.writeInt32BE(length, 12);
  into.writeInt32BE(1, 16);
}

/** A bigint as a number: exact up to 2^53. */
export const bigintOf = (high: number, low: number): number => high * HIGH + low;

export const bigintAt = (bytes: Buffer, at: number): number =>
  bigintOf(bytes.readInt32BE(at), bytes.readUInt32BE(at + 4));

/** Answers the place after it. */
export function writeBigint(into: Buffer, at: number, value: number): number {
  const high = Math.floor(value / HIGH);
  into.writeInt32BE(high, at);
  return into.writeUInt32BE(value - high * HIGH, at + 4);
}

/** Epoch ms of a timestamptz, which is sent as microseconds since 2000. */
export const epochMsOf = (micros: number): number => MS_TO_2000 + Math.floor(micros / 1000);

export const timestampAt = (bytes: Buffer, at: number): number => epochMsOf(bigintAt(bytes, at));

/** The microseconds of epoch ms, as {@link epochMsOf} reads them. */
export const microsOf = (epochMs: number): number => (epochMs - MS_TO_2000) * 1000;
