import {
  ARRAY_HEADER,
  EMPTY_ARRAY_HEADER,
  microsOf,
  writeArrayHeader,
  writeBigint,
} from '@ledgerline/contracts/read-models/binary-format';
import type { ColumnType } from '@ledgerline/contracts/read-models/read-model';
import type { Value } from './read-model-rows';

const DAYS_TO_2000 = 10_957;

/** Writes one element and returns the place after it. */
type Write = (into: Buffer, at: number, value: Value) => number;

/** The binary form of one value, with the object id of its type. */
export interface Codec {
  readonly oid: number;
  /** Bytes of every element, or of this one. */
  readonly bytes: number | ((value: Value) => number);
  readonly write: Write;
}

function writeText(into: Buffer, at: number, value: Value): number {
  return at + into.write(value as string, at, 'utf8');
}

const wordsOf = (value: Value) => value as readonly string[];

/** Each word ends with a zero byte, and its number of positions, of which it has none. */
function writeWords(into: Buffer, at: number, value: Value): number {
  const words = wordsOf(value);
  let end = into.writeInt32BE(words.length, at);
  for (const word of words) end = into.writeUInt16BE(0, into.writeUInt8(0, writeText(into, end, word)));
  return end;
}

/** The wire format of Postgres by type; a value is as in `Value` of the rows. */
const CODECS: Readonly<Record<string, Codec>> = {
  boolean: { oid: 16, bytes: 1, write: (into, at, value) => into.writeUInt8(value ? 1 : 0, at) },
  smallint: { oid: 21, bytes: 2, write: (into, at, value) => into.writeInt16BE(value as number, at) },
  integer: { oid: 23, bytes: 4, write: (into, at, value) => into.writeInt32BE(value as number, at) },
  bigint: { oid: 20, bytes: 8, write: (into, at, value) => writeBigint(into, at, value as number) },
  'double precision': { oid: 701, bytes: 8, write: (into, at, value) => into.writeDoubleBE(value as number, at) },
  date: {
    oid: 1082,
    bytes: 4,
    write: (into, at, value) =>
      into.writeInt32BE(value === -Infinity ? -0x80000000 : (value as number) - DAYS_TO_2000, at),
  },
  timestamptz: {
    oid: 1184,
    bytes: 8,
    write: (into, at, value) => writeBigint(into, at, microsOf(value as number)),
  },
  uuid: { oid: 2950, bytes: 16, write: (into, at, value) => at + into.write(value as string, at, 16, 'hex') },
  bytea: {
    oid: 17,
    bytes: (value) => (value as string).length / 2,
    write: (into, at, value) => at + into.write(value as string, at, 'hex'),
  },
  text: { oid: 25, bytes: (value) => Buffer.byteLength(value as string), write: writeText },
  jsonb: {
    oid: 3802,
    bytes: (value) => 1 + Buffer.byteLength(value as string),
    write: (into, at, value) => writeText(into, into.writeUInt8(1, at), value),
  },
  tsvector: {
    oid: 3614,
    bytes: (value) => 4 + wordsOf(value).reduce((sum, word) => sum + Buffer.byteLength(word) + 3, 0),
    write: writeWords,
  },
};

/** The type of one element: without `?` and `[]`. */
export const scalarOf = (type: ColumnType): string => type.replace(/\?|\[\]/, '');

/** @throws TypeError for a type that no read model has */
export function codecOf(scalar: string): Codec {
  const codec = CODECS[scalar];
  if (!codec) throw new TypeError(`There is no binary format for ${scalar}.`);
  return codec;
}

/**
 * A one-dimensional array in the binary format of Postgres, which the driver sends as it is. Measured against texts: a
 * tenth of the time on both sides.
 */
export function binaryArray(scalar: string, values: readonly Value[]): Buffer {
  const codec = codecOf(scalar);
  const { bytes, write } = codec;
  const sizes = typeof bytes === 'number' ? undefined : values.map((value) => (value === null ? 0 : bytes(value)));
  const fixed = typeof bytes === 'number' ? bytes : 0;
  const size = sizes ? sizes.reduce((sum, each) => sum + each, 0) : values.length * fixed;
  const buffer = Buffer.allocUnsafe(ARRAY_HEADER + values.length * 4 + size);
  let hasNull = false;
  let at = ARRAY_HEADER;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? null;
    if (value === null) {
      hasNull = true;
      at = buffer.writeInt32BE(-1, at);
    } else {
      at = write(buffer, buffer.writeInt32BE(sizes?.[place] ?? fixed, at), value);
    }
  }
  writeArrayHeader(buffer, 0, codec.oid, values.length, hasNull);
  return buffer.subarray(0, values.length === 0 ? EMPTY_ARRAY_HEADER : at);
}
