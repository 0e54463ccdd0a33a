import { createHash } from 'node:crypto';
import { encodeSessions, type PackedColumn } from '@ledgerline/aggregation/aggregation';
import {
  type Numbers,
  SESSION_FIELDS,
  type SessionChunk,
  type SessionField,
  UNITS,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
  chunkOfColumns,
  type sessionDays,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';

/** The rows of `session_days` for the sessions of a website's day; `pause` is called after some milliseconds of work. */
export async function* packedRows(
  website: number,
  day: number,
  groups: SessionGroups,
  pause: () => Promise<void>,
): AsyncIterable<ReadModelRow<typeof sessionDays>> {
  let number = 0;
  for (const group of groups.rows()) {
    const chunk = await gatherSessions(group, pause);
    const columns = new Map<PackedColumn, Uint8Array | null>();
    for (const [name, bytes] of encodeSessions(chunk, day)) {
      columns.set(name, bytes);
      await pause();
    }
    const countries = [...new Set(chunk.field('country'))];
    const device_types = [...new Set(chunk.field('device_type'))];
    const values = { countries, device_types, last_at: endOf(chunk), version: versionOf(columns) };
    const row = { website, day, number: number++, size: group.size, ...values };
    const bytes = Object.fromEntries([...columns].map(inHex)) as Readonly<Record<PackedColumn, string | null>>; // an entry for each
    yield { ...row, ...bytes };
  }
}

const inHex = ([name, bytes]: readonly [PackedColumn, Uint8Array | null]) =>
  [name, bytes && Buffer.from(bytes).toString('hex')] as const;

/** No event of a session is later than its end. */
export function endOf({ field, size }: SessionChunk): number {
  const firstAt = field('first_at');
  const durations = field('duration_ms');
  let end = 0;
  for (let place = 0; place < size; place++) end = Math.max(end, (firstAt[place] ?? 0) + (durations[place] ?? 0));
  return end;
}

/** 48 bits of the SHA-256 of all columns. */
function versionOf(columns: ReadonlyMap<PackedColumn, Uint8Array | null>): number {
  const hash = createHash('sha256');
  for (const [name, bytes] of columns) hash.update(`${name} ${bytes?.length ?? 0} `).update(bytes ?? '');
  return hash.digest().readUIntBE(0, 6);
}

/** Sessions of a chunk that belong to one row of `session_days`. */
interface Part {
  readonly chunk: SessionChunk;
  readonly places: readonly number[];
  /** The place of every session's first one, by unit. */
  readonly starts: ReadonlyMap<Unit, Int32Array>;
}

/** Sessions out of several chunks. */
interface SessionGroup {
  readonly size: number;
  readonly parts: readonly Part[];
}

/** Sessions of one country and device. */
interface SortedGroup extends SessionGroup {
  readonly country: number;
  readonly device: number;
  readonly parts: Part[];
  size: number;
}

/** So many sessions make a row; those of a country and device that have as many are alone in theirs. */
const LEAST = 128;

/** Groups the sessions of chunks, which are added one by one, by country and device. */
export class SessionGroups {
  private readonly groups = new Map<string, SortedGroup>();

  add(chunk: SessionChunk): void {
    const countries = chunk.field('country');
    const devices = chunk.field('device_type');
    const places = new Map<string, number[]>();
    for (let place = 0; place < chunk.size; place++) {
      const key = `${countries[place]} ${devices[place]}`;
      const own = places.get(key);
      if (own) own.push(place);
      else places.set(key, [place]);
    }
    const starts = new Map(UNITS.map((unit) => [unit, startsOf(chunk.unit(unit).counts)]));
    for (const [key, own] of places) {
      const [country = 0, device = 0] = key.split(' ').map(Number);
      const group = this.groups.get(key) ?? { country, device, size: 0, parts: [] };
      this.groups.set(key, group);
      group.parts.push({ chunk, places: own, starts });
      group.size += own.length;
    }
  }

  /** The sessions of each row, in the order of country and device. */
  *rows(least = LEAST): Iterable<SessionGroup> {
    const sorted = [...this.groups.values()].sort((a, b) => a.country - b.country || a.device - b.device);
    let row: SessionGroup = NO_SESSIONS;
    for (const group of sorted) {
      const isLarge = group.size >= least;
      if (row.size >= least || (isLarge && row.size > 0)) {
        yield row;
        row = NO_SESSIONS;
      }
      row = { size: row.size + group.size, parts: [...row.parts, ...group.parts] };
    }
    if (row.size > 0) yield row;
  }
}

const NO_SESSIONS: SessionGroup = { size: 0, parts: [] };

/** The sessions of a group as one chunk; `pause` is called after each column. */
async function gatherSessions({ size, parts }: SessionGroup, pause: () => Promise<void>): Promise<SessionChunk> {
  const fields = new Map<SessionField, Numbers>();
  for (const name of SESSION_FIELDS) {
    fields.set(name, gather(parts.map(({ chunk, places }) => [chunk.field(name), places] as const)));
    await pause();
  }
  const units = new Map<Unit, UnitColumns>();
  for (const unit of UNITS) units.set(unit, await gatherUnit(unit, parts, pause));
  return chunkOfColumns(size, fields, units);
}

async function gatherUnit(unit: Unit, parts: readonly Part[], pause: () => Promise<void>): Promise<UnitColumns> {
  const counts = gather(parts.map(({ chunk, places }) => [chunk.unit(unit).counts, places] as const));
  const rows = parts.map((part) => rowsOf(unit, part));
  const fields = new Map<string, Numbers>();
  for (const name of UNIT_FIELDS[unit]) {
    fields.set(name, gather(parts.map(({ chunk }, at) => [chunk.unit(unit).field(name), rows[at] ?? []] as const)));
    await pause();
  }
  return unitOfColumns(Int32Array.from(counts), fields);
}

/** The values at these places, part after part. */
function gather(parts: readonly (readonly [values: Numbers, places: ArrayLike<number>])[]): Numbers {
  const size = parts.reduce((sum, [, places]) => sum + places.length, 0);
  const take = parts.every(([values]) => values instanceof Int32Array) ? new Int32Array(size) : new Float64Array(size);
  let end = 0;
  for (const [values, places] of parts) {
    for (let at = 0; at < places.length; at++) take[end++] = values[places[at] ?? 0] ?? 0;
  }
  return take;
}

/** The places of all units of the sessions of a part. */
function rowsOf(unit: Unit, { chunk, places, starts }: Part): readonly number[] {
  const { counts } = chunk.unit(unit);
  const firsts = starts.get(unit);
  const rows: number[] = [];
  for (const place of places) {
    const first = firsts?.[place] ?? 0;
    for (let row = first; row < first + (counts[place] ?? 0); row++) rows.push(row);
  }
  return rows;
}

function startsOf(counts: Int32Array): Int32Array {
  const starts = new Int32Array(counts.length);
  let end = 0;
  for (const [place, count] of counts.entries()) {
    starts[place] = end;
    end += count;
  }
  return starts;
}
