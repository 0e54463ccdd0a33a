import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { ARRAY_HEADER, EMPTY_ARRAY_HEADER, writeArrayHeader } from '@ledgerline/contracts/read-models/binary-format';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { codecOf, scalarOf, type Codec } from './binary-array';
import type { ReadModelRow, Value } from './read-model-rows';
import { identifier } from './sql';

/** Bytes that are sent together. */
const CHUNK = 256 * 1024;

/** The signature of the binary format of `copy`, its flags, and the length of further headers. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);

/**
 * Adds rows to a table by `copy`: half the work of an insert. None of them may be there, which only a primary key would
 * tell. On a connection without pipelining.
 */
export async function copyRows(
  client: PoolClient,
  schema: string,
  model: ReadModel,
  rows: Iterable<ReadModelRow>,
): Promise<void> {
  const names = Object.keys(model.columns).map((name) => identifier(name).text);
  const table = identifier(schema, model.name).text;
  const copy = copyFrom(`copy ${table} (${names.join(', ')}) from stdin with (format binary)`);
  await pipeline(Readable.from(chunksOf(model, rows), { objectMode: false }), client.query(copy));
}

function* chunksOf(model: ReadModel, rows: Iterable<ReadModelRow>): Iterable<Buffer> {
  const columns = Object.entries(model.columns).map(([name, { type }]) => columnOf(name, type.endsWith('[]'), type));
  yield HEADER;
  let chunk = Buffer.allocUnsafe(CHUNK);
  let end = 0;
  for (const row of rows) {
    const size = columns.reduce((sum, column) => sum + 4 + column.bytes(row), 2);
    if (end + size > chunk.length) {
      yield chunk.subarray(0, end);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK, size));
      end = 0;
    }
    end = chunk.writeInt16BE(columns.length, end);
    for (const column of columns) end = column.write(chunk, end, row);
  }
  yield chunk.subarray(0, end);
  yield TRAILER;
}

/** A column of rows in the binary format: the length of each value, and the value. */
interface CopiedColumn {
  /** Without the length. */
  bytes(row: ReadModelRow): number;
  /** Answers the place after it. */
  write(into: Buffer, at: number, row: ReadModelRow): number;
}

function columnOf(name: string, isArray: boolean, type: Parameters<typeof scalarOf>[0]): CopiedColumn {
  const codec = codecOf(scalarOf(type));
  const bytes = (value: Value) => (isArray ? arrayBytes(codec, value as readonly Value[]) : codec.bytes(value));
  const write = isArray
    ? (into: Buffer, at: number, value: Value) => writeArray(codec, into, at, value as readonly Value[])
    : codec.write;
  return {
    bytes: (row) => {
      const value = row[name] ?? null;
      return value === null ? 0 : bytes(value);
    },
    write: (into, at, row) => {
      const value = row[name] ?? null;
      if (value === null) return into.writeInt32BE(-1, at);
      const end = write(into, at + 4, value);
      into.writeInt32BE(end - at - 4, at);
      return end;
    },
  };
}

function arrayBytes(codec: Codec, values: readonly Value[]): number {
  if (values.length === 0) return EMPTY_ARRAY_HEADER;
  if (codec.fixed !== undefined) return ARRAY_HEADER + values.length * (4 + codec.fixed);
  return values.reduce<number>((sum, value) => sum + 4 + codec.bytes(value), ARRAY_HEADER);
}

/** Without nulls, which no array of a read model has. */
function writeArray(codec: Codec, into: Buffer, at: number, values: readonly Value[]): number {
  let end = writeArrayHeader(into, at, codec.oid, values.length, false);
  for (const value of values) {
    const from = end;
    end = codec.write(into, from + 4, value);
    into.writeInt32BE(end - from - 4, from);
  }
  return end;
}
