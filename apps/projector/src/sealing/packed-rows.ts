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
  for (const group of groups.values()) {
    const chunk = await gatherSessions(group, SESSION_FIELDS, pause);
    const columns = new Map<PackedColumn, Uint8Array | null>();
    for (const [name, bytes] of encodeSessions(chunk, day)) {
      columns.set(name, bytes);
      await pause();
    }
    const { country, device_type, size } = group;
    const row = { website, day, country, device_type, size, last_at: endOf(chunk), version: versionOf(columns) };
    yield { ...row, ...Object.fromEntries([...columns].map(inHex)) } as ReadModelRow<typeof sessionDays>; // each of its columns
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

/** The sessions of one country and device, out of several chunks. */
interface SessionGroup {
  readonly country: number;
  readonly device_type: number;
  readonly size: number;
  readonly parts: readonly Part[];
}

/** Groups the sessions of chunks, which are added one by one, by country and device. */
export class SessionGroups {
  private readonly groups = new Map<string, SessionGroup & { size: number; readonly parts: Part[] }>();

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
      const [country, device_type] = key.split(' ').map(Number) as [number, number];
      const group = this.groups.get(key) ?? { country, device_type, size: 0, parts: [] };
      this.groups.set(key, group);
      group.parts.push({ chunk, places: own, starts });
      group.size += own.length;
    }
  }

  values(): Iterable<SessionGroup> {
    return this.groups.values();
  }
}

/** The sessions of a group as one chunk; `pause` is called after each column. */
async function gatherSessions(
  { size, parts }: SessionGroup,
  names: readonly SessionField[],
  pause: () => Promise<void>,
): Promise<SessionChunk> {
  const fields = new Map<SessionField, Numbers>();
  for (const name of names) {
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
