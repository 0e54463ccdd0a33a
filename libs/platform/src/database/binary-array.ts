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

/** The binary form of one value, with the object id of its type. A column has values of its type alone. */
export interface Codec {
  readonly oid: number;
  /** Bytes of each element; undefined where they depend on the value. */
  readonly fixed?: number;
  /** Bytes of this element. */
  bytes(this: void, value: Value): number;
  /** Writes one element and returns the place after it. */
  write(this: void, into: Buffer, at: number, value: Value): number;
}

const writeText = (into: Buffer, at: number, text: string): number => at + into.write(text, at, 'utf8');

/** Each word ends with a zero byte, and its number of positions, of which it has none. */
function writeWords(into: Buffer, at: number, words: readonly string[]): number {
  let end = into.writeInt32BE(words.length, at);
  for (const word of words) end = into.writeUInt16BE(0, into.writeUInt8(0, writeText(into, end, word)));
  return end;
}

/** The wire format of Postgres by type; a value is as in `Value` of the rows. */
const CODECS: Readonly<Record<string, Codec>> = {
  boolean: fixed(16, 1, (into, at, value: boolean) => into.writeUInt8(value ? 1 : 0, at)),
  smallint: fixed(21, 2, (into, at, value: number) => into.writeInt16BE(value, at)),
  integer: fixed(23, 4, (into, at, value: number) => into.writeInt32BE(value, at)),
  bigint: fixed(20, 8, (into, at, value: number) => writeBigint(into, at, value)),
  'double precision': fixed(701, 8, (into, at, value: number) => into.writeDoubleBE(value, at)),
  date: fixed(1082, 4, (into, at, value: number) =>
    into.writeInt32BE(value === -Infinity ? -0x80000000 : value - DAYS_TO_2000, at),
  ),
  timestamptz: fixed(1184, 8, (into, at, value: number) => writeBigint(into, at, microsOf(value))),
  uuid: fixed(2950, 16, (into, at, value: string) => at + into.write(value, at, 16, 'hex')),
  bytea: {
    oid: 17,
    bytes: (value: string) => value.length / 2,
    write: (into, at, value: string) => at + into.write(value, at, 'hex'),
  },
  text: { oid: 25, bytes: (value: string) => Buffer.byteLength(value), write: writeText },
  jsonb: {
    oid: 3802,
    bytes: (value: string) => 1 + Buffer.byteLength(value),
    write: (into, at, value: string) => writeText(into, into.writeUInt8(1, at), value),
  },
  tsvector: {
    oid: 3614,
    bytes: (words: readonly string[]) => 4 + words.reduce((sum, word) => sum + Buffer.byteLength(word) + 3, 0),
    write: writeWords,
  },
};

function fixed<Element extends Value>(
  oid: number,
  size: number,
  write: (into: Buffer, at: number, value: Element) => number,
): Codec {
  return { oid, fixed: size, bytes: () => size, write };
}

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
  const { bytes, write, fixed = 0 } = codec;
  const sizes = fixed > 0 ? undefined : values.map((value) => (value === null ? 0 : bytes(value)));
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
