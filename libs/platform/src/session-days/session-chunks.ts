import {
  SESSION_FIELDS,
  UNIT_FIELDS,
  UNITS,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import {
  chunkOfColumns,
  unitOfColumns,
  type Numbers,
  type SessionChunk,
  type UnitColumns,
} from '@ledgerline/contracts/read-models/session-chunk';
import { readBigints, readIntegers, readTimestamps, type Columns } from '../database/binary-columns';
import { run, type Queryable } from '../database/pool';
import { readHits } from './hit-columns';
import { factSlices, FACTS, sessionSlices, SLICE_SIZE, type FactUnit, type SomeSessions } from './session-slices';
import { unitsOfHits, type VisitsOf } from './units-of-hits';

/** What is read of sessions: some of their fields, and units. */
export interface WantedColumns {
  readonly fields: readonly SessionField[];
  readonly units: readonly Unit[];
}

export const EVERY_COLUMN: WantedColumns = { fields: [...SESSION_FIELDS, 'country', 'device_type'], units: UNITS };

/** A slice of sessions as the statements of `session-slices` found it; only strings, so that it can be sent to a thread. */
export interface SessionSlice {
  readonly sessions: Columns;
  readonly facts: Readonly<Partial<Record<FactUnit, Columns>>>;
}

/** Sessions in slices, from their table and those of facts; all in the snapshot of the caller. */
export async function readSessionSlices(
  on: Queryable,
  some: SomeSessions,
  { fields, units }: WantedColumns,
): Promise<readonly SessionSlice[]> {
  const hits = units.includes('outgoing_links') ? 'ids' : units.some((unit) => !isFact(unit)) ? 'all' : 'none';
  const sessions = await run<SliceRow>(on, sessionSlices(some, [...new Set([...ALWAYS, ...fields])], hits));
  const facts: Partial<Record<FactUnit, ReadonlyMap<number, Columns>>> = {};
  for (const unit of units.filter(isFact)) {
    const rows = sessions.length === 0 ? [] : await run<SliceRow>(on, factSlices(some, unit));
    facts[unit] = new Map(rows.map(({ slice, ...columns }) => [slice, columns]));
  }
  return sessions.map(({ slice, ...columns }) => {
    const found = Object.entries(facts).map(([unit, slices]) => [unit, slices.get(slice) ?? {}]);
    return { sessions: columns, facts: Object.fromEntries(found) as SessionSlice['facts'] };
  });
}

type SliceRow = { readonly slice: number } & Columns;
const ALWAYS = ['first_at', 'flags'] as const;
const isFact = (unit: Unit): unit is FactUnit => unit in FACTS;

/** The sessions of a slice, in no order. A pure function. */
export function chunkOf(
  { sessions, facts }: SessionSlice,
  { fields, units }: WantedColumns,
  visitsOf: VisitsOf,
): SessionChunk {
  const places = readIntegers(sessions['places']);
  const flags = readIntegers(sessions['flags']);
  const values = new Map<SessionField, Numbers>(fields.map((name) => [name, fieldOf(sessions, name)]));
  const parts = new Map<Unit, UnitColumns>();
  const ofHits = units.filter((unit) => !isFact(unit));
  if (ofHits.length > 0) {
    for (const [unit, columns] of unitsOfHits(readHits(sessions), flags, ofHits, visitsOf)) parts.set(unit, columns);
  }
  for (const unit of units.filter(isFact)) parts.set(unit, factsOf(facts[unit] ?? {}, unit, places));
  return chunkOfColumns(places.length, values, parts);
}

function fieldOf(row: Columns, name: SessionField): Numbers {
  if (name === 'first_at') return readTimestamps(row[name]);
  return name === 'duration_ms' ? readBigints(row[name]) : readIntegers(row[name]);
}

/** Facts come by the number of their session; sessions of a slice may come in another order. */
function factsOf(row: Columns, unit: FactUnit, places: Int32Array): UnitColumns {
  const owners = readIntegers(row['places']);
  const [counts, starts] = [new Int32Array(SLICE_SIZE), new Int32Array(SLICE_SIZE)];
  for (const [at, owner] of owners.entries()) {
    const nth = owner % SLICE_SIZE;
    if (counts[nth] === 0) starts[nth] = at;
    counts[nth] = (counts[nth] ?? 0) + 1;
  }
  const order = new Int32Array(owners.length);
  let written = 0;
  for (const place of places) {
    const start = starts[place % SLICE_SIZE] ?? 0;
    const count = counts[place % SLICE_SIZE] ?? 0;
    for (let nth = 0; nth < count; nth++) order[written++] = start + nth;
  }
  const read = (name: string): Numbers => {
    if (name === 'at') return readTimestamps(row[name]);
    return name === 'micros' ? readBigints(row[name]) : readIntegers(row[name]);
  };
  const sorted = (values: Numbers) => Float64Array.from(order, (at) => values[at] ?? 0);
  return unitOfColumns(
    places.map((place) => counts[place % SLICE_SIZE] ?? 0),
    new Map(UNIT_FIELDS[unit].map((name) => [name, sorted(read(name))])),
  );
}
