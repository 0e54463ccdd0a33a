import {
  integerAt,
  readArrays,
  readBigints,
  readIntegers,
  readTimestamps,
  smallintAt,
  timestampAt,
  type BinaryColumns,
} from '@ledgerline/contracts/read-models/binary-format';
import { isFactUnit, KINDS, kindOfHit, widthOfHit, type FactUnit } from '@ledgerline/contracts/read-models/event-kinds';
import {
  chunkOfColumns,
  ID_WORD_BASE,
  type Numbers,
  SESSION_FIELDS,
  SESSION_FLAG,
  type SessionChunk,
  type SessionField,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
  unitOfColumns,
  UNITS,
} from '@ledgerline/contracts/read-models/session-days';
import { visitsIn } from '@ledgerline/contracts/sessions/local-session';
import type { SessionHit } from '@ledgerline/contracts/sessions/session';

/** The columns that are read of sessions: some of their fields, and units. */
export interface WantedColumns {
  readonly fields: readonly SessionField[];
  readonly units: readonly Unit[];
  /** The keys of the sessions are read, too. */
  readonly keys?: true;
}

export const EVERY_COLUMN: WantedColumns = { fields: SESSION_FIELDS, units: UNITS };

/** A slice of sessions as the statements of `read-session-slices` found it; only strings, so that it can be sent to a thread. */
export interface SessionSlice {
  readonly sessions: BinaryColumns;
  readonly facts: Readonly<Partial<Record<FactUnit, BinaryColumns>>>;
}

/** So many sessions make a slice: as many as are read from its bytes in a few milliseconds. */
export const SLICE_SIZE = 2_048;

/** Returns the keys of the sessions of a slice. */
export const keysOfSlice = ({ sessions }: SessionSlice): Uint8Array => Buffer.from(sessions['keys'] ?? '', 'base64');

/** The sessions of a slice, in no order. A pure function. */
export function chunkOf({ sessions, facts }: SessionSlice, { fields, units }: WantedColumns): SessionChunk {
  const places = readIntegers(sessions['places']);
  const flags = readIntegers(sessions['flags']);
  const values = new Map<SessionField, Numbers>(fields.map((name) => [name, fieldOf(sessions, name)]));
  const parts = new Map<Unit, UnitColumns>();
  const ofHits = units.filter((unit) => !isFactUnit(unit));
  if (ofHits.length > 0) {
    for (const [unit, columns] of unitsOfHits(readHits(sessions), flags, ofHits)) parts.set(unit, columns);
  }
  for (const unit of units.filter(isFactUnit)) parts.set(unit, factsOf(facts[unit] ?? {}, unit, places));
  return chunkOfColumns(places.length, values, parts);
}

function fieldOf(row: BinaryColumns, name: SessionField): Numbers {
  if (name === 'first_at') return readTimestamps(row[name]);
  return name === 'duration_ms' ? readBigints(row[name]) : readIntegers(row[name]);
}

/** Facts come by the number of their session; sessions of a slice may come in another order. */
function factsOf(row: BinaryColumns, unit: FactUnit, places: Int32Array): UnitColumns {
  const owners = readIntegers(row['places']);
  const counts = new Int32Array(SLICE_SIZE);
  const starts = new Int32Array(SLICE_SIZE);
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

type Hit = Omit<SessionHit, 'id'>;

/** These units of sessions, which follow from their hits. `flags` of each session: see `SESSION_FLAG`. */
function unitsOfHits(hits: HitColumns, flags: Int32Array, wanted: readonly Unit[]): ReadonlyMap<Unit, UnitColumns> {
  const units = new Map(wanted.map((unit) => [unit, new UnitRows(hits.counts.length)]));
  const visits = units.get('visits');
  let first = 0;
  let firstId = 0;
  for (const [place, count] of hits.counts.entries()) {
    const until = first + count;
    for (let at = first; at < until; at++) {
      const { unit, hasId } = kindOfHit(hits.kind[at] ?? 0) ?? {};
      const rows = unit && units.get(unit);
      if (!rows) continue;
      const from = hits.from[at] ?? 0;
      const until = hits.from[at + 1] ?? 0;
      rows.add(place, [hits.at[at] ?? 0, hits.path[at] ?? 0, hits.hostname[at] ?? 0]);
      rows.addFields(hits.values.subarray(from, until));
      if (hasId) rows.addFields(idAt(hits, firstId + at - first));
    }
    if (visits && ((flags[place] ?? 0) & SESSION_FLAG.single) === 0) {
      for (const { at, path, hostname, timeMs, scroll, interactions } of visitsIn(
        reportedBetween(hits, first, until),
      )) {
        visits.add(place, [at, path, hostname, timeMs, scroll, interactions]);
      }
    }
    first = until;
    firstId += hits.ids.counts[place] ?? 0;
  }
  return new Map([...units].map(([unit, rows]) => [unit, rows.columns(UNIT_FIELDS[unit])]));
}

const REPORTS: ReadonlySet<number> = new Set(KINDS.flatMap(({ isReport, number }) => (isReport ? [number] : [])));

/** The hits of one session, if any of them reports a visit; else none. */
function reportedBetween(hits: HitColumns, first: number, until: number): readonly Hit[] {
  if (!hits.kind.subarray(first, until).some((kind) => REPORTS.has(kind))) return [];
  return Array.from({ length: until - first }, (_, nth) => {
    const at = hits.at[first + nth] ?? 0;
    const kind = hits.kind[first + nth] ?? 0;
    const path = hits.path[first + nth] ?? 0;
    const hostname = hits.hostname[first + nth] ?? 0;
    const from = hits.from[first + nth] ?? 0;
    return { at, kind, path, hostname, values: hits.values, from };
  });
}

const idAt = ({ ids }: HitColumns, at: number): readonly number[] => ids.words.map((word) => word[at] ?? 0);

/** Rows of a unit, which come session by session. */
class UnitRows {
  private readonly counts: Int32Array;
  private readonly values: number[] = [];

  constructor(sessions: number) {
    this.counts = new Int32Array(sessions);
  }

  add(place: number, row: readonly number[]): void {
    this.counts[place] = (this.counts[place] ?? 0) + 1;
    this.addFields(row);
  }

  /** Further fields of the row that was added last. */
  addFields(numbers: Iterable<number>): void {
    for (const number of numbers) this.values.push(number);
  }

  columns(names: readonly string[]): UnitColumns {
    const { counts, values } = this;
    const size = values.length / names.length;
    const column = (field: number) =>
      Float64Array.from({ length: size }, (_, row) => values[row * names.length + field] ?? 0);
    return unitOfColumns(counts, new Map(names.map((name, field) => [name, column(field)])));
  }
}

/** The hits of sessions as columns, those of one session together and in order. */
interface HitColumns {
  /** The number of units of each session. */
  readonly counts: readonly number[];
  readonly at: Float64Array;
  readonly kind: Float64Array;
  readonly path: Float64Array;
  readonly hostname: Float64Array;
  /** The fields of all hits, and where those of each one begin and the last ones end. */
  readonly values: Float64Array;
  readonly from: Int32Array;
  /** The ids of the hits of sessions that have outgoing links, where they were read: words as in `UNIT_FIELDS`. */
  readonly ids: { readonly counts: readonly number[]; readonly words: readonly Float64Array[] };
}

const WORDS = [0, 1, 2, 3];

function readHits(row: BinaryColumns): HitColumns {
  const { values: at, lengths: counts } = readArrays(row['hit_at'], timestampAt);
  const words = WORDS.map((word) =>
    readArrays(row['hit_id'], (bytes, from) => bytes.readUInt32BE(from + 4 * word) - ID_WORD_BASE),
  );
  const kind = readArrays(row['hit_kind'], smallintAt).values;
  const from = new Int32Array(kind.length + 1);
  for (let nth = 0; nth < kind.length; nth++) from[nth + 1] = (from[nth] ?? 0) + widthOfHit(kind[nth] ?? 0);
  return {
    counts,
    at,
    kind,
    from,
    path: readArrays(row['hit_path'], integerAt).values,
    hostname: readArrays(row['hit_hostname'], integerAt).values,
    values: readArrays(row['hit_values'], integerAt).values,
    ids: { counts: words[0]?.lengths ?? [], words: words.map(({ values }) => values) },
  };
}
