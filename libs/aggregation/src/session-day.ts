import {
  type Numbers,
  SESSION_FIELDS,
  type SessionChunk,
  type SessionField,
  type SessionKey,
  UNITS,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { ALL_ZERO, ColumnReader, encodeIntegers } from './integer-column';
import { floats, integers, remember } from './scratch';

const DAY_MS = 86_400_000;

/** A column of the read model `session_days`. */
export type PackedColumn = Exclude<SessionField, SessionKey> | Unit;

/**
 * The bytes of each column for sessions that began on a day, with all of their fields and units; null = nothing but 0. A
 * field is a column of integers (`integer-column`) in the order of the sessions. A unit is several of them end to end: how
 * many each session has, then its fields in the order of `UNIT_FIELDS`. One by one, as those of many sessions take a while.
 */
export function* encodeSessions(
  chunk: SessionChunk,
  day: number,
): Generator<readonly [PackedColumn, Uint8Array | null], void> {
  for (const name of SESSION_FIELDS) {
    const values = chunk.field(name);
    yield [name, orNull(encodeIntegers(name === 'first_at' ? values.map((at) => at - day * DAY_MS) : values))];
  }
  for (const name of UNITS) {
    const { counts, size, field } = chunk.unit(name);
    const parts = UNIT_FIELDS[name].map((of) => {
      if (of !== 'at') return encodeIntegers(field(of));
      const at = field(of).slice();
      shift(at, counts, chunk.field('first_at'), -1);
      return encodeIntegers(at);
    });
    yield [name, size === 0 ? null : joined([encodeIntegers(counts), ...parts])];
  }
}

/** Adds a multiple of its session's number to each unit. */
function shift(units: Numbers, counts: Int32Array, numbers: Numbers, factor: number): void {
  let at = 0;
  for (let place = 0; place < counts.length; place++) {
    const number = factor * (numbers[place] ?? 0);
    for (const end = at + (counts[place] ?? 0); at < end; at++) units[at] = (units[at] ?? 0) + number;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Null instead of nothing but 0. */
export const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes === ALL_ZERO ? null : bytes);

/** What rows of the read model say of their sessions beside the columns of bytes. */
export interface SessionDayRows {
  /** How many sessions each has. */
  readonly size: Int32Array;
  /** Days since 1970-01-01. */
  readonly day: Int32Array;
  readonly country: Int32Array;
  readonly device_type: Int32Array;
}

/** The bytes of some of these rows, those of a column end to end; null is a byte 0 there. */
export interface PackedRows {
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly columns: ReadonlyMap<PackedColumn, Uint8Array>;
}

/**
 * The sessions of packed rows and, after them, those of other chunks, all in one; each column is decoded when it is first
 * asked for. TRICKY: an array for each of very many rows would take several times as long.
 */
export function decodeSessions(
  rows: SessionDayRows,
  parts: readonly PackedRows[],
  others: readonly SessionChunk[] = [],
): SessionChunk {
  const size = sessionsIn(rows, parts) + sumOf(others.map((chunk) => chunk.size));
  const packed = { rows, parts, size };
  const field = remember((name: SessionField) =>
    withOthers(
      decodeField(packed, name),
      others.map((chunk) => chunk.field(name)),
    ),
  );
  const unit = remember((name: Unit) => decodeUnit(packed, name, field('first_at'), others));
  return { size, field, unit };
}

interface Packed {
  readonly rows: SessionDayRows;
  readonly parts: readonly PackedRows[];
  /** Of columns: those of other chunks have room at the end. */
  readonly size: number;
}

function decodeField(packed: Packed, name: SessionField): Numbers {
  const { rows, parts, size } = packed;
  if (name === 'country' || name === 'device_type') return repeated(packed, rows[name]);
  let values: Numbers = name === 'first_at' ? floats(size) : integers(size);
  let at = 0;
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(bytesOf(columns, name));
    for (let row = from; row < to; row++) {
      const count = rows.size[row] ?? 0;
      values = reader.readInto(values, at, count);
      if (name === 'first_at') addTo(values.subarray(at, at + count), DAY_MS * (rows.day[row] ?? 0));
      at += count;
    }
  }
  return values;
}

function addTo(values: Numbers, number: number): void {
  for (let place = 0; place < values.length; place++) values[place] = (values[place] ?? 0) + number;
}

/** The value of each row for each of its sessions. */
function repeated({ rows: { size }, parts, size: total }: Packed, values: Int32Array): Int32Array {
  const all = integers(total);
  let at = 0;
  for (const { from, to } of parts) {
    for (let row = from; row < to; row++) {
      const end = at + (size[row] ?? 0);
      all.fill(values[row] ?? 0, at, end);
      at = end;
    }
  }
  return all;
}

function decodeUnit(packed: Packed, name: Unit, firstAt: Numbers, others: readonly SessionChunk[]): UnitColumns {
  const { counts, sums, starts } = countUnits(packed, name);
  const more = others.map((chunk) => chunk.unit(name));
  withOthers(
    counts,
    more.map((unit) => unit.counts),
  );
  const size = sumOf(sums) + sumOf(more.map((unit) => unit.size));
  const names: readonly string[] = UNIT_FIELDS[name];
  const field = remember((of: string) => {
    const nth = names.indexOf(of);
    if (nth < 0) throw new RangeError(`The ${name} of sessions have no field ${of}.`);
    let values: Numbers = of === 'at' ? floats(size) : integers(size);
    let at = 0;
    for (const { from, to, columns } of packed.parts) {
      const reader = new ColumnReader(bytesOf(columns, name));
      for (let row = from; row < to; row++) {
        const count = sums[row] ?? 0;
        if (count === 0) continue;
        reader.seek(starts[row * names.length + nth] ?? 0);
        values = reader.readInto(values, at, count);
        at += count;
      }
    }
    if (of === 'at') shift(values, counts.subarray(0, sessionsIn(packed.rows, packed.parts)), firstAt, 1);
    return withOthers(
      values,
      more.map((unit) => unit.field(of)),
    );
  });
  return { counts, size, field };
}

/** How many units each session and each row has, and where the bytes of each field of a row begin. */
function countUnits({ rows, parts, size }: Packed, name: Unit) {
  const fields = UNIT_FIELDS[name].length;
  const [counts, sums] = [integers(size), integers(rows.size.length)];
  const starts = integers(rows.size.length * fields);
  let at = 0;
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(bytesOf(columns, name));
    for (let row = from; row < to; row++) {
      const end = at + (rows.size[row] ?? 0);
      reader.readInto(counts, at, end - at);
      let units = 0;
      for (; at < end; at++) units += counts[at] ?? 0;
      sums[row] = units;
      if (units === 0) continue;
      for (let nth = 0; nth < fields; nth++) {
        starts[row * fields + nth] = reader.place;
        reader.skip();
      }
    }
  }
  return { counts, sums, starts };
}

/** Puts columns at the end of a longer one; answers a wider copy if the numbers do not fit. */
function withOthers(column: Numbers, others: readonly Numbers[]): Numbers {
  let at = column.length - sumOf(others.map(({ length }) => length));
  let target = column;
  for (const values of others) {
    const isNarrow = values instanceof Int32Array || values.every((value) => value === (value | 0));
    if (target instanceof Int32Array && !isNarrow) target = new Float64Array(target);
    target.set(values, at);
    at += values.length;
  }
  return target;
}

function sessionsIn({ size }: SessionDayRows, parts: readonly PackedRows[]): number {
  let sum = 0;
  for (const { from, to } of parts) for (let row = from; row < to; row++) sum += size[row] ?? 0;
  return sum;
}

const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
};

function bytesOf(columns: PackedRows['columns'], name: PackedColumn): Uint8Array {
  const bytes = columns.get(name);
  if (!bytes) throw new RangeError(`The ${name} of sessions were not read.`);
  return bytes;
}
