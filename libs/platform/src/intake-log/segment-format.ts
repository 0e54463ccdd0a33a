import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { decodeEventId, encodeEventId, isEventId } from '@ledgerline/contracts/events/event-id';
import { observedVersions, type EventVersions } from '@ledgerline/contracts/events/event-versions';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { Upcaster } from '@ledgerline/contracts/events/upcasters';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import type { EncodedHit } from './encoded-hit';

/**
 * Format 1 of a payload: how many 128-bit values (uint32), these values as they are, then deflated JSON. The values are
 * the events' ids, table by table, and behind them the distinct visitor and session hashes: random bits that no
 * compression makes smaller. In the JSON, events of one shape form a table stored by columns: half the bytes of lines.
 */
export const SEGMENT_FORMAT = 1;

export interface Body {
  /** Epoch ms; times are stored as the distance from it. */
  readonly base: number;
  readonly tables: readonly SegmentTable[];
  /** Events that fit no table, each with its place, and the version of its data where that is not 1. */
  readonly others: readonly (readonly [number, ObservedEvent, version?: number])[];
}

export interface SegmentTable {
  readonly type: string;
  /** The version of the events' data; absent = 1. */
  readonly version?: number;
  /** Names of the columns in `data`. */
  readonly keys: readonly string[];
  /** The events' places in the segment; null = all of it. */
  readonly places: readonly number[] | null;
  readonly at: readonly number[];
  readonly receivedAt: readonly number[];
  readonly columns: readonly (readonly (Json | undefined)[])[];
  /** Columns that hold numbers of 128-bit values instead of their hex digits. */
  readonly hashed: readonly number[];
}

interface Group {
  readonly type: string;
  readonly keys: readonly string[];
  readonly places: number[];
  readonly hits: EncodedHit[];
}

const LEVEL = 3;
/** Below this a trip to the thread pool costs more than it takes off this thread. */
const ASYNC_FROM_BYTES = 64 * 1024;
const MAX_COLUMNS = 100;
/** Epoch ms whose distances are exact, too. */
const isExactTime = (ms: number) => Number.isInteger(ms) && Math.abs(ms) < 2 ** 52;
const HASH = /^[0-9a-f]{32}$/;

const deflate = promisify(deflateRaw);

/** `size` is the length of the JSON. */
export async function packEvents(
  hits: readonly EncodedHit[],
  versions = observedVersions,
): Promise<{ payload: Buffer; size: number }> {
  const values = new ValueDictionary();
  return packBody(tabulate(hits, values, versions), values);
}

export async function packBody(json: Body, values: ValueDictionary): Promise<{ payload: Buffer; size: number }> {
  const body = Buffer.from(JSON.stringify(json));
  const options = { level: LEVEL };
  const packed = body.length < ASYNC_FROM_BYTES ? deflateRawSync(body, options) : await deflate(body, options);
  return { payload: Buffer.concat([values.toBuffer(), packed]), size: body.length };
}

export interface UnpackOptions {
  /** Only events of these types; undefined = all, also those that are not known. */
  readonly types?: readonly string[] | undefined;
  readonly versions?: EventVersions;
  /** Called for what is left out because its type, or that version of it, is not known. */
  readonly onUnknown?: (type: string, version: number, events: number) => void;
}

/** The events at their places, with data of the current versions; holes for those that are left out. */
export function unpackEvents(
  payload: Buffer,
  size: number,
  { types, versions = observedVersions, onUnknown }: UnpackOptions = {},
): (ObservedEvent | undefined)[] {
  const upcasterOf = (type: string, version: number, count: number): Upcaster | undefined => {
    const upcaster = versions.upcaster(type, version);
    if (types === undefined) return upcaster ?? unchanged;
    if (upcaster === undefined) onUnknown?.(type, version, count);
    return types.includes(type) ? upcaster : undefined;
  };
  const { base, tables, others } = unpackBody(payload, size);
  const events: (ObservedEvent | undefined)[] = [];
  let row = 0;
  for (const table of tables) {
    const upcast = upcasterOf(table.type, table.version ?? 1, table.at.length);
    if (upcast) restore(table, { base, row, payload, events, upcast });
    row += table.at.length;
  }
  for (const [place, event, version = 1] of others) {
    const upcast = upcasterOf(event.type, version, 1);
    if (upcast) events[place] = inCurrentVersion({ ...event, data: event.data as JsonObject }, upcast);
  }
  return events;
}

export const unpackBody = (payload: Buffer, size: number): Body =>
  JSON.parse(inflate(payload, size).toString()) as Body;

/** Returns whether a text that JSON does not escape is a value, or a key, in any of the events. */
export const namesText = (payload: Buffer, size: number, text: string): boolean =>
  inflate(payload, size).includes(`"${text}"`);

/** Returns whether any of the events may name one of these: ids of events, or 32 hex digits. */
export function namesAny(payload: Buffer, size: number, ids: readonly string[]): boolean {
  const values = payload.subarray(4, 4 + 16 * payload.readUInt32BE(0));
  if (ids.some((id) => values.includes(isEventId(id) ? decodeEventId(id) : Buffer.from(id, 'hex')))) return true;
  const json = inflate(payload, size);
  return ids.some((id) => json.includes(id));
}

const inflate = (payload: Buffer, size: number): Buffer =>
  inflateRawSync(payload.subarray(4 + 16 * payload.readUInt32BE(0)), {
    chunkSize: Math.max(64, size),
    maxOutputLength: Math.max(64, size),
  });

const unchanged: Upcaster = (data) => data;

/** Reading the data of an event whose upcaster fails throws its error, so that this event alone can be parked. */
function inCurrentVersion(event: { readonly type: string; data: JsonObject }, upcast: Upcaster): ObservedEvent {
  try {
    event.data = upcast(event.data);
  } catch (error) {
    const get = () => {
      throw error;
    };
    Object.defineProperty(event, 'data', { get, enumerable: true });
  }
  return event as unknown as ObservedEvent; // it was one when it was packed
}

/** 128-bit values in the order in which they were first named. */
export class ValueDictionary {
  private readonly hex: string[] = [];
  private readonly numbers = new Map<string, number>();

  add(hex: string): number {
    return this.hex.push(hex) - 1;
  }

  numberOf(hex: string): number {
    let number = this.numbers.get(hex);
    if (number === undefined) this.numbers.set(hex, (number = this.add(hex)));
    return number;
  }

  toBuffer(): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.hex.length);
    return Buffer.concat([count, Buffer.from(this.hex.join(''), 'hex')]);
  }
}

function tabulate(hits: readonly EncodedHit[], values: ValueDictionary, versions: EventVersions): Body {
  const groups = new Map<string, Group>();
  const versionOf = (type: string) => (versions.current(type) === 1 ? undefined : versions.current(type));
  const others: [number, ObservedEvent, number?][] = [];
  let group: Group | undefined; // neighbours are mostly of one shape
  for (const [place, hit] of hits.entries()) {
    const keys = columnsOf(hit.event);
    if (!keys) {
      const version = versionOf(hit.type);
      others.push(version === undefined ? [place, hit.event] : [place, hit.event, version]);
      continue;
    }
    if (group === undefined || !isOfGroup(hit, keys, group)) group = groupOf(groups, hit, keys);
    group.places.push(place);
    group.hits.push(hit);
  }
  const base = groups.values().next().value?.hits[0]?.at ?? 0;
  for (const group of groups.values()) for (const { id } of group.hits) values.add(id);
  const tables = [...groups.values()].map((group) => ({
    ...tableOf(group, hits.length, base, values),
    version: versionOf(group.type),
  }));
  return { base, tables, others };
}

function isOfGroup({ type }: EncodedHit, keys: readonly string[], group: Group): boolean {
  if (type !== group.type || keys.length !== group.keys.length) return false;
  for (let at = 0; at < keys.length; at++) if (keys[at] !== group.keys[at]) return false;
  return true;
}

function groupOf(groups: Map<string, Group>, { type }: EncodedHit, keys: readonly string[]): Group {
  const shape = `${type}\n${keys.join('\n')}`;
  let group = groups.get(shape);
  if (!group) groups.set(shape, (group = { type, keys, places: [], hits: [] }));
  return group;
}

/** null when the event has anything a table would not give back exactly. */
function columnsOf(event: ObservedEvent): string[] | null {
  const { at, receivedAt, data } = event;
  if (!isExactTime(at) || !isExactTime(receivedAt) || Object.keys(event).length !== 5) return null;
  const keys: string[] = [];
  for (const key of Object.keys(data)) {
    if (key === '__proto__') return null;
    if ((data as JsonObject)[key] !== undefined) keys.push(key);
  }
  return keys.length <= MAX_COLUMNS ? keys : null;
}

function tableOf({ keys, places, hits }: Group, total: number, base: number, values: ValueDictionary): SegmentTable {
  const hashed: number[] = [];
  const columns = keys.map((key, number) => {
    const column = hits.map(({ event }) => (event.data as JsonObject)[key]);
    if (!column.every((value) => value === null || (typeof value === 'string' && HASH.test(value)))) return column;
    hashed.push(number);
    return column.map((value) => (typeof value === 'string' ? values.numberOf(value) : null));
  });
  return {
    type: hits[0]?.type ?? '',
    keys,
    places: places.length === total ? null : places,
    at: hits.map(({ event }) => event.at - base),
    receivedAt: hits.map(({ event }) => event.receivedAt - base),
    columns,
    hashed,
  };
}

interface Restoring {
  readonly base: number;
  /** Number of the 128-bit value that is the first event's id. */
  readonly row: number;
  readonly payload: Buffer;
  readonly events: (ObservedEvent | undefined)[];
  readonly upcast: Upcaster;
}

function restore(table: SegmentTable, { base, row, payload, events, upcast }: Restoring): void {
  const { type, keys, places, at, receivedAt } = table;
  const hashed = new Set(table.hashed);
  const columns = table.columns.map((column, number) => (hashed.has(number) ? hashesOf(column, payload) : column));
  for (let n = 0; n < at.length; n++) {
    const data: { [name: string]: Json | undefined } = {};
    for (let c = 0; c < keys.length; c++) data[keys[c] ?? ''] = columns[c]?.[n];
    const id = encodeEventId(payload.subarray(4 + 16 * (row + n), 20 + 16 * (row + n)));
    const event = { type, id, at: base + (at[n] ?? 0), receivedAt: base + (receivedAt[n] ?? 0), data };
    events[places?.[n] ?? n] = inCurrentVersion(event, upcast);
  }
}

function hashesOf(column: readonly (Json | undefined)[], payload: Buffer): (string | null)[] {
  const known = new Map<number, string>();
  return column.map((number) => {
    if (typeof number !== 'number') return null;
    let hex = known.get(number);
    if (hex === undefined) known.set(number, (hex = payload.toString('hex', 4 + 16 * number, 20 + 16 * number)));
    return hex;
  });
}
