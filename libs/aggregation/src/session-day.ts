import {
  type Numbers,
  SESSION_FIELDS,
  type SessionChunk,
  type SessionField,
  UNITS,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { endToEnd, ownersOf, type PackedSessions, take, takeSessions, unitsAt } from './columns';
import { ALL_ZERO, ColumnReader, encodeIntegers } from './integer-column';
import { blank, integers, remember } from './scratch';

const DAY_MS = 86_400_000;

/** A column of the read model `session_days`. */
export type PackedColumn = SessionField | Unit;

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
    yield [name, nullIfAllZero(encodeIntegers(name === 'first_at' ? values.map((at) => at - day * DAY_MS) : values))];
  }
  for (const name of UNITS) {
    const { counts, size, field } = chunk.unit(name);
    const parts = UNIT_FIELDS[name].map((of) => {
      if (of !== 'at') return encodeIntegers(field(of));
      const at = field(of).slice();
      shift(at, ownersOf(counts), chunk.field('first_at'), -1);
      return encodeIntegers(at);
    });
    yield [name, size === 0 ? null : joined([encodeIntegers(counts), ...parts])];
  }
}

/** Adds a multiple of its session's number to each unit. */
function shift(units: Numbers, owners: Int32Array, numbers: Numbers, factor: number): void {
  for (let at = 0; at < units.length; at++)
    units[at] = (units[at] as number) + factor * (numbers[owners[at] as number] as number);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Null instead of nothing but 0. */
const nullIfAllZero = (bytes: Uint8Array): Uint8Array | null => (bytes === ALL_ZERO ? null : bytes);

/** The columns in which rows of the read model describe their sessions beside the columns of bytes. */
export interface SessionDayRows {
  /** The number of sessions each has. */
  readonly size: Int32Array;
  /** Days since 1970-01-01. */
  readonly day: Int32Array;
}

/** The bytes of some of these rows, those of a column end to end; null is a byte 0 there. */
export interface PackedRows {
  /** The first row, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly columns: ReadonlyMap<PackedColumn, Uint8Array>;
}

/**
 * The sessions of packed rows and, after them, those of other chunks, all in one; of each column what is asked for is
 * decoded when it first is. TRICKY: an array for each of very many rows would take several times as long.
 */
export function decodeSessions(
  rows: SessionDayRows,
  parts: readonly PackedRows[],
  others: readonly SessionChunk[] = [],
): PackedSessions {
  const units = remember((name: Unit) => countUnits({ rows, parts }, name));
  return {
    ...decoded({ rows, parts, others, units }),
    take: (places) => decoded(chosen({ rows, parts, others, units }, places)),
  };
}

interface Packed {
  readonly rows: SessionDayRows;
  readonly parts: readonly PackedRows[];
  readonly others: readonly SessionChunk[];
  readonly units: (name: Unit) => PackedUnits;
  /** The places of the packed sessions, if not all of them are. */
  readonly places?: Int32Array;
}

/** The sessions at these places, which ascend. */
function chosen({ others, ...packed }: Packed, places: Int32Array): Packed {
  let begin = 0;
  let nth = 0;
  const next = (size: number): Int32Array => {
    const first = nth;
    while (nth < places.length && (places[nth] as number) < begin + size) nth++;
    const shifted = blank(Int32Array, nth - first);
    for (let at = 0; at < shifted.length; at++) shifted[at] = (places[first + at] as number) - begin;
    begin += size;
    return shifted;
  };
  const own = next(sessionsIn(packed));
  return { ...packed, others: others.map((chunk) => takeSessions(chunk, next(chunk.size))), places: own };
}

function decoded(packed: Packed): SessionChunk {
  const { rows, others, places } = packed;
  const own = places?.length ?? sessionsIn(packed);
  const size = own + sumOf(others.map((chunk) => chunk.size));
  const blocks = blocksOf(packed, rows.size, places);
  const field = remember((name: SessionField) => {
    const values = name === 'first_at' ? blank(Float64Array, size) : blank(Int32Array, size);
    return withOthers(
      decodeField(blocks, name, values),
      others.map((chunk) => chunk.field(name)),
    );
  });
  return { size, field, unit: remember((name: Unit) => decodeUnit(packed, name, field)) };
}

/** Numbers of rows, or some of them. */
interface Blocks extends Pick<Packed, 'rows' | 'parts'> {
  /** The number of units of each row. */
  readonly counts: Int32Array;
  /** The places of those that are wanted, and by row how many are up to its end; all are without them. */
  readonly places?: Int32Array | undefined;
  readonly ends: Int32Array;
}

function blocksOf({ rows, parts }: Pick<Packed, 'rows' | 'parts'>, counts: Int32Array, places?: Int32Array): Blocks {
  const ends = integers(counts.length);
  let end = 0;
  let wanted = 0;
  for (const { from, to } of parts)
    for (let row = from; row < to; row++) {
      end += counts[row] as number;
      if (places === undefined) wanted = end;
      else while (wanted < places.length && (places[wanted] as number) < end) wanted++;
      ends[row] = wanted;
    }
  return { rows, parts, counts, places, ends };
}

/** @param starts of the columns of rows that have any numbers; without them they lie end to end */
function decodeColumn(
  { parts, counts, places, ends }: Blocks,
  name: PackedColumn,
  into: Numbers,
  starts?: (row: number) => number,
): Numbers {
  let values = into;
  let begin = 0;
  let from = 0;
  for (const part of parts) {
    const reader = new ColumnReader(bytesOf(part.columns, name));
    for (let row = part.from; row < part.to; row++) {
      const count = counts[row] as number;
      const to = ends[row] as number;
      if (starts && to > from) reader.seek(starts(row));
      if (to === from) {
        if (!starts) reader.skip();
      } else if (places && to - from < count)
        values = reader.readRows(values, from, to, { rows: places, begin, count });
      else values = reader.readInto(values, from, to);
      begin += count;
      from = to;
    }
  }
  return values;
}

function decodeField(blocks: Blocks, name: SessionField, into: Numbers): Numbers {
  const values = decodeColumn(blocks, name, into);
  if (name === 'first_at') addBegins(blocks, values);
  return values;
}

/** Adds the begin of its day to each time. */
function addBegins({ rows: { day }, parts, ends }: Blocks, times: Numbers): void {
  let place = 0;
  for (const { from, to } of parts)
    for (let row = from; row < to; row++) {
      const begin = DAY_MS * (day[row] as number);
      for (; place < (ends[row] as number); place++) times[place] = (times[place] as number) + begin;
    }
}

function decodeUnit(packed: Packed, name: Unit, ofSession: SessionChunk['field']): UnitColumns {
  const { others, places, units } = packed;
  const { counts: all, sums, starts } = units(name);
  const more = others.map((chunk) => chunk.unit(name));
  const own = places ? take(all, places) : all;
  const counts = endToEnd([own, ...more.map((unit) => unit.counts)]) as Int32Array; // as each of them is
  const wanted = places && unitsAt(all, places);
  const blocks = blocksOf(packed, sums, wanted);
  const ofOwn = wanted?.length ?? sumOf(sums);
  const size = ofOwn + sumOf(more.map((unit) => unit.size));
  const names: readonly string[] = UNIT_FIELDS[name];
  const field = remember((of: string) => {
    const nth = names.indexOf(of);
    if (nth < 0) throw new RangeError(`The ${name} of sessions have no field ${of}.`);
    const into = of === 'at' ? blank(Float64Array, size) : blank(Int32Array, size);
    const values = decodeColumn(blocks, name, into, (row) => starts[row * names.length + nth] as number);
    if (of === 'at') shift(values.subarray(0, ofOwn), ownersOf(counts), ofSession('first_at'), 1);
    return withOthers(
      values,
      more.map((unit) => unit.field(of)),
    );
  });
  return { counts, size, field };
}

/** The number of units of each session and of each row, and where the bytes of each field of a row begin. */
interface PackedUnits {
  readonly counts: Int32Array;
  readonly sums: Int32Array;
  readonly starts: Int32Array;
}

function countUnits({ rows, parts }: Pick<Packed, 'rows' | 'parts'>, name: Unit): PackedUnits {
  const fields = UNIT_FIELDS[name].length;
  const counts = blank(Int32Array, sessionsIn({ rows, parts }));
  const sums = integers(rows.size.length);
  const starts = blank(Int32Array, rows.size.length * fields);
  let at = 0;
  for (const { from, to, columns } of parts) {
    const reader = new ColumnReader(bytesOf(columns, name));
    for (let row = from; row < to; row++) {
      const end = at + (rows.size[row] as number);
      reader.readInto(counts, at, end);
      let units = 0;
      for (; at < end; at++) units += counts[at] as number;
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
    if (target instanceof Int32Array && !isNarrow(values)) target = new Float64Array(target);
    target.set(values, at);
    at += values.length;
  }
  return target;
}

const isNarrow = (values: Numbers): boolean =>
  values instanceof Int32Array || values.every((value) => value === (value | 0));

function sessionsIn({ rows: { size }, parts }: Pick<Packed, 'rows' | 'parts'>): number {
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
