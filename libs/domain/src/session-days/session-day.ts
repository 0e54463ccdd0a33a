import {
  SESSION_FIELDS,
  UNIT_FIELDS,
  UNITS,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { ALL_ZERO, ColumnReader, encodeIntegers } from './integer-column';
import type { Numbers, SessionChunk, UnitColumns } from '@ledgerline/contracts/read-models/session-chunk';

const DAY_MS = 86_400_000;

/** A column of the read model `session_days`. */
export type PackedColumn = Exclude<SessionField, 'country' | 'device_type'> | Unit;

/** What rows of the read model say of their sessions beside the columns of bytes. */
export interface SessionDayRows {
  /** How many sessions each has. */
  readonly size: Int32Array;
  /** Days since 1970-01-01. */
  readonly day: Int32Array;
  readonly country: Int32Array;
  readonly device_type: Int32Array;
}

/** The bytes of some of these rows, those of a column end to end; null is {@link ALL_ZERO} there. */
export interface PackedRows {
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly columns: ReadonlyMap<PackedColumn, Uint8Array>;
}

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
    const values = of(chunk.fields, name);
    yield [name, orNull(encodeIntegers(name === 'first_at' ? values.map((at) => at - day * DAY_MS) : values))];
  }
  const firstAt = of(chunk.fields, 'first_at');
  for (const unit of UNITS) {
    const { counts, fields } = of(chunk.units, unit);
    const parts = UNIT_FIELDS[unit].map((name) => {
      const values = of(fields, name);
      if (name !== 'at') return encodeIntegers(values);
      const at = values.slice();
      shift(at, counts, firstAt, -1);
      return encodeIntegers(at);
    });
    yield [unit, fields.get('at')?.length === 0 ? null : joined([encodeIntegers(counts), ...parts])];
  }
}

/**
 * The sessions of packed rows, all in one: these columns, and country and device. Units need the field `first_at`.
 * TRICKY: an array for each of very many rows would take several times as long.
 */
export function decodeSessions(
  rows: SessionDayRows,
  parts: readonly PackedRows[],
  columns: readonly PackedColumn[],
): SessionChunk {
  const keys = (['country', 'device_type'] as const).map((name) => [name, repeated(rows, parts, rows[name])] as const);
  const fields = new Map<SessionField, Numbers>(keys);
  for (const name of columns) if (!isUnit(name)) fields.set(name, decodeField(rows, parts, name));
  const units = new Map<Unit, UnitColumns>();
  for (const name of columns) if (isUnit(name)) units.set(name, decodeUnit(rows, parts, name, of(fields, 'first_at')));
  return { size: of(fields, 'country').length, fields, units };
}

/** The value of each row for each of its sessions. */
function repeated({ size }: SessionDayRows, parts: readonly PackedRows[], values: Int32Array): Int32Array {
  const all = new Int32Array(sessionsIn(size, parts));
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

function sessionsIn(size: Int32Array, parts: readonly PackedRows[]): number {
  let sum = 0;
  for (const { from, to } of parts) for (let row = from; row < to; row++) sum += size[row] ?? 0;
  return sum;
}

function decodeField(rows: SessionDayRows, parts: readonly PackedRows[], name: PackedColumn): Numbers {
  const total = sessionsIn(rows.size, parts);
  let values: Numbers = name === 'first_at' ? new Float64Array(total) : new Int32Array(total);
  let at = 0;
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(of(columns, name));
    for (let row = from; row < to; row++) {
      const size = rows.size[row] ?? 0;
      values = reader.readInto(values, at, size);
      at += size;
    }
  }
  if (name === 'first_at') {
    const days = repeated(rows, parts, rows.day);
    for (let place = 0; place < total; place++) values[place] = (values[place] ?? 0) + DAY_MS * (days[place] ?? 0);
  }
  return values;
}

const isUnit = (name: PackedColumn): name is Unit => name in UNIT_FIELDS;

function decodeUnit(rows: SessionDayRows, parts: readonly PackedRows[], name: Unit, firstAt: Numbers): UnitColumns {
  const { counts, sums, total } = countUnits(rows, parts, name);
  const names: readonly string[] = UNIT_FIELDS[name];
  const values: Numbers[] = names.map((field) => (field === 'at' ? new Float64Array(total) : new Int32Array(total)));
  let at = 0;
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(of(columns, name));
    for (let row = from; row < to; row++) {
      const size = sums[row] ?? 0;
      reader.skip();
      if (size === 0) continue;
      for (let nth = 0; nth < names.length; nth++) values[nth] = reader.readInto(values[nth] ?? counts, at, size);
      at += size;
    }
  }
  const fields = new Map(names.map((field, nth) => [field, values[nth] ?? new Int32Array()]));
  shift(of(fields, 'at'), counts, firstAt, 1);
  return { counts, fields };
}

/** How many units each session, each row and all rows have. */
function countUnits({ size }: SessionDayRows, parts: readonly PackedRows[], name: Unit) {
  const [counts, sums] = [new Int32Array(sessionsIn(size, parts)), new Int32Array(size.length)];
  let [at, total] = [0, 0];
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(of(columns, name));
    for (let row = from; row < to; row++) {
      const end = at + (size[row] ?? 0);
      reader.readInto(counts, at, end - at);
      let units = 0;
      for (; at < end; at++) units += counts[at] ?? 0;
      for (let left = units === 0 ? 0 : UNIT_FIELDS[name].length; left > 0; left--) reader.skip();
      sums[row] = units;
      total += units;
    }
  }
  return { counts, sums, total };
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

const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes === ALL_ZERO ? null : bytes);

function of<Name, Value>(values: ReadonlyMap<Name, Value>, name: Name): Value {
  const value = values.get(name);
  if (value === undefined) throw new RangeError(`The sessions lack ${String(name)}.`);
  return value;
}
