import type { JsonObject } from '@ledgerline/contracts/json';
import { Deadline } from '../log/timing';
import { canonicalJson } from './chain-hash';
import {
  EventTooLarge,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  organizationOf,
  INTERNAL_ORGANIZATION,
  STORE_METADATA,
  type AppendOptions,
  type ExpectedRevision,
  type NewEvent,
  type StreamName,
  type RecordedEvent,
} from './event-store';

/** An append that every store can take: named, sized and written out once. */
export interface CheckedAppend {
  readonly stream: StreamName;
  readonly organization: string;
  /** -1 = the stream must not exist yet. */
  readonly expected: number;
  readonly events: readonly CheckedEvent[];
  /** See AppendOptions. */
  readonly newIds: boolean;
  readonly deadline: Deadline;
}

export interface CheckedEvent extends NewEvent {
  readonly dataText: string;
  readonly metadataText: string;
}

const STREAM = /^\w+-[\x21-\x7e]+$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TYPE = /^\w+$/;
const BASE64 = /^[\w+/=-]*$/;

/** @throws EventTooLarge for what is too big; Error for what no caller may send. */
export function checkAppend(
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
  { newIds = false, deadline = new Deadline() }: AppendOptions = {},
): CheckedAppend {
  if (!STREAM.test(stream) || organizationOf(stream) === INTERNAL_ORGANIZATION)
    throw new Error(`"${stream}" is no stream name.`);
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new Error(`${expected} is no revision.`);
  }
  if (events.length === 0) throw new Error('An append needs at least one event.');
  if (new Set(events.map(({ id }) => id)).size < events.length) throw new Error('An append names one event id twice.');
  const checked = events.map(checkEvent);
  const bytes = checked.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > MAX_APPEND_BYTES) throw new EventTooLarge(`An append of ${bytes} bytes is over ${MAX_APPEND_BYTES}.`);
  const organization = organizationOf(stream);
  return { stream, organization, expected: toNumber(expected), events: checked, newIds, deadline };
}

/** Whether two events under one id have the same content. Metadata describes the attempt, so the first one's stays. */
export const sameContent = (a: NewEvent, b: NewEvent): boolean =>
  a.type === b.type && (a.sealed ?? null) === (b.sealed ?? null) && canonicalJson(a.data) === canonicalJson(b.data);

/** A stream's newest revision as a number, -1 for none, in the port's words. */
export const toExpected = (revision: number): ExpectedRevision => (revision < 0 ? 'no-stream' : revision);

function checkEvent(event: NewEvent): CheckedEvent {
  if (!UUID.test(event.id)) throw new Error(`"${event.id}" is no UUID in lower case.`);
  if (!TYPE.test(event.type)) throw new Error(`"${event.type}" is no event type.`);
  if (!BASE64.test(event.sealed ?? '')) throw new Error(`The sealed part of ${event.type} is not base64.`);
  if (STORE_METADATA in event.metadata) throw new Error(`${STORE_METADATA} is no name for metadata.`);
  const dataText = JSON.stringify(event.data);
  const data = JSON.parse(dataText) as JsonObject; // as it will be read
  const checked = { ...event, data, dataText, metadataText: JSON.stringify(event.metadata) };
  const bytes = sizeOf(checked);
  if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(`${event.type} of ${bytes} bytes is over ${MAX_EVENT_BYTES}.`);
  return checked;
}

const sizeOf = ({ type, sealed = '', dataText, metadataText }: CheckedEvent): number =>
  type.length + sealed.length + Buffer.byteLength(dataText) + Buffer.byteLength(metadataText);

const toNumber = (expected: ExpectedRevision): number => (expected === 'no-stream' ? -1 : expected);

/** An event at its revision in its stream; `position` and `recordedAt` are set once it is written. */
export interface PlacedEvent<E extends NewEvent = NewEvent> {
  readonly event: E;
  readonly stream: StreamName;
  readonly revision: number;
  position?: number;
  recordedAt?: Date;
}

export type AppendDecision<E extends NewEvent = NewEvent> =
  | { readonly outcome: 'write'; readonly placed: readonly PlacedEvent<E>[] }
  | { readonly outcome: 'replay'; readonly placed: readonly PlacedEvent[] }
  | { readonly outcome: 'conflict'; readonly actual: number };

/**
 * Decides on one append by the stream's newest revision (-1 = none) and the events stored under its ids already. It is
 * a replay when every event is stored where this append would have put it.
 */
export function decideAppend(
  append: CheckedAppend,
  actual: number,
  stored: ReadonlyMap<string, PlacedEvent>,
): AppendDecision<CheckedAppend['events'][number]> {
  const { stream, expected } = append;
  const placed = append.events.map((event, at) => ({ event, stream, revision: expected + 1 + at }));
  const there = placed.flatMap((own) => stored.get(own.event.id) ?? []);
  if (placed.every((own, at) => isThere(own, there[at]))) return { outcome: 'replay', placed: there };
  const isNew = expected === actual && placed.every(({ event }) => !stored.has(event.id));
  return isNew ? { outcome: 'write', placed } : { outcome: 'conflict', actual };
}

/** A placed event as it is stored. */
export function recordedOf({ event, stream, revision, position, recordedAt }: PlacedEvent): RecordedEvent {
  const { id, type, data, sealed, metadata } = event;
  if (position === undefined || recordedAt === undefined) throw new Error('An event that is not written has no place.');
  const rest = { cursor: String(position), recordedAt, metadata, ...(sealed === undefined ? {} : { sealed }) };
  return { stream, revision, id, type, data, ...rest };
}

const isThere = (own: PlacedEvent, stored: PlacedEvent | undefined): boolean =>
  stored?.stream === own.stream && stored.revision === own.revision && sameContent(stored.event, own.event);

export function lastOf<T>(items: readonly (T | undefined)[]): T {
  const last = items.at(-1);
  if (last === undefined) throw new Error('An append holds at least one event.');
  return last;
}
