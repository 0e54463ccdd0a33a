import {
  SESSION_FIELDS,
  UNIT_FIELDS,
  UNITS,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { ALL_ZERO, encodeIntegers, type ColumnReader } from './integer-column';
import type { Numbers, SessionChunk, UnitColumns } from './session-chunk';

const DAY_MS = 86_400_000;

/** A column of the read model `session_days`. */
export type PackedColumn = Exclude<SessionField, 'country' | 'device_type'> | Unit;

/** What a row of the read model says of its sessions beside the columns of bytes. */
export interface SessionDayRow {
  readonly size: number;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly country: number;
  readonly device_type: number;
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
    const begin = shiftsOf(counts, firstAt);
    const parts = UNIT_FIELDS[unit].map((name) => {
      const values = of(fields, name);
      return encodeIntegers(name === 'at' ? values.map((at, place) => at - (begin[place] ?? 0)) : values);
    });
    yield [unit, fields.get('at')?.length === 0 ? null : joined([encodeIntegers(counts), ...parts])];
  }
}

/** Reads the next row of columns that lie end to end; null is {@link ALL_ZERO} there. Units need the field `first_at`. */
export function decodeSessions(
  { size, day, country, device_type }: SessionDayRow,
  readers: ReadonlyMap<PackedColumn, ColumnReader>,
): SessionChunk {
  const fields = new Map<SessionField, Numbers>([
    ['country', new Int32Array(size).fill(country)],
    ['device_type', new Int32Array(size).fill(device_type)],
  ]);
  for (const name of SESSION_FIELDS) {
    const values = readers.get(name)?.read(size);
    if (values) fields.set(name, name === 'first_at' ? Float64Array.from(values, (at) => at + day * DAY_MS) : values);
  }
  const units = new Map<Unit, UnitColumns>();
  for (const unit of UNITS) {
    const reader = readers.get(unit);
    if (reader) units.set(unit, readUnit(reader, unit, of(fields, 'first_at')));
  }
  return { size, fields, units };
}

/** Leaves out the next row of these columns. */
export function skipSessions(readers: ReadonlyMap<PackedColumn, ColumnReader>): void {
  for (const [name, reader] of readers) {
    const isEmpty = reader.skip() === undefined;
    if (!isUnit(name) || isEmpty) continue;
    for (let left = UNIT_FIELDS[name].length; left > 0; left--) reader.skip();
  }
}

const isUnit = (name: PackedColumn): name is Unit => name in UNIT_FIELDS;

function readUnit(reader: ColumnReader, unit: Unit, firstAt: Numbers): UnitColumns {
  const counts = Int32Array.from(reader.read(firstAt.length));
  const size = counts.reduce((sum, count) => sum + count, 0);
  const begin = shiftsOf(counts, firstAt);
  const read = (name: string): Numbers => {
    if (size === 0) return new Int32Array();
    const values = reader.read(size);
    return name === 'at' ? Float64Array.from(values, (at, place) => at + (begin[place] ?? 0)) : values;
  };
  return { counts, fields: new Map(UNIT_FIELDS[unit].map((name) => [name, read(name)])) };
}

/** For each unit, when its session begins. */
function shiftsOf(counts: Int32Array, firstAt: Numbers): Float64Array {
  const shifts = new Float64Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (let place = 0; place < counts.length; place++) {
    for (let left = counts[place] ?? 0; left > 0; left--) shifts[at++] = firstAt[place] ?? 0;
  }
  return shifts;
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
