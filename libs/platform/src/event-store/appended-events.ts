import { hash } from 'node:crypto';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { Deadline } from '../log/timing';
import {
  type ChainHead,
  type ChainPlace,
  type EventMetadata,
  type Hash,
  type HistoryEntry,
  type JsonEvent,
  type NewEvent,
  streamOrganization,
  type StreamName,
  EventTooLarge,
  MAX_APPEND_BYTES,
  MAX_EVENT_BYTES,
  INTERNAL_ORGANIZATION,
  STORE_METADATA,
  type AppendOptions,
  type ExpectedRevision,
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

export interface CheckedEvent extends JsonEvent {
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
  if (!STREAM.test(stream) || streamOrganization(stream) === INTERNAL_ORGANIZATION)
    throw new Error(`"${stream}" is no stream name.`);
  if (expected !== 'no-stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw new Error(`${expected} is no revision.`);
  }
  if (events.length === 0) throw new Error('An append needs at least one event.');
  if (new Set(events.map(({ id }) => id)).size < events.length) throw new Error('An append names one event id twice.');
  const checked = events.map(checkEvent);
  const bytes = checked.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > MAX_APPEND_BYTES) throw new EventTooLarge(`An append of ${bytes} bytes is over ${MAX_APPEND_BYTES}.`);
  const organization = streamOrganization(stream);
  return { stream, organization, expected: toNumber(expected), events: checked, newIds, deadline };
}

/**
 * Returns whether two events under one id have the same content. Metadata describes the attempt, so the first one's
 * stays.
 */
export const sameContent = (a: JsonEvent, b: JsonEvent): boolean =>
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
export interface PlacedEvent<E extends JsonEvent = JsonEvent> {
  readonly event: E;
  readonly stream: StreamName;
  readonly revision: number;
  position?: number;
  recordedAt?: Date;
}

export type AppendDecision<E extends JsonEvent = JsonEvent> =
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

/** The hash that the first event of a chain names as the previous one. */
export const GENESIS: Hash = '0'.repeat(64);

/** The head of a chain without events. */
export const BEFORE_FIRST: ChainHead = { revision: -1, hash: GENESIS };

/** An event as the chain sees it: at its place in its stream, but nowhere in the global order. */
export interface ChainedEvent extends JsonEvent {
  readonly stream: StreamName;
  readonly revision: number;
}

/**
 * The chain's formula, one chain per organization in the order its events were recorded:
 *
 *     content = SHA-256( canonical JSON (RFC 8785), in UTF-8, of
 *       { data, id, metadata, organization, revision, sealed, stream, type } )
 *     hash = SHA-256( canonical JSON of { content, previousHash } )
 *
 * `sealed` is the ciphertext or null; `previousHash` is the hash before it in hex, 64 zeros for the first event.
 * The global position and the time of recording stay out, so a copy in another store keeps every hash. Events whose
 * metadata has `schemaVersion` 1 or none are hashed in one step instead: SHA-256 of the canonical JSON of all of
 * these members and `previousHash`.
 */
export function chainHash(event: ChainedEvent, previousHash: Hash): Hash {
  if (hasContentHash(event.metadata)) return linkHash(contentHash(event), previousHash);
  return sha256({ ...contentOf(event), previousHash });
}

/** The hash of an event whose content is represented by its hash. */
const linkHash = (content: Hash, previousHash: Hash): Hash => sha256({ content, previousHash });

export const contentHash = (event: ChainedEvent): Hash => sha256(contentOf(event));

/**
 * Returns whether the chain includes the hash of the event's content, so that the content can be left out of a proof.
 */
const hasContentHash = ({ schemaVersion = '1' }: EventMetadata): boolean => schemaVersion !== '1';

function contentOf({ id, type, data, sealed, metadata, stream, revision }: ChainedEvent) {
  const organization = streamOrganization(stream);
  return { data, id, metadata, organization, revision, sealed: sealed ?? null, stream, type };
}

const sha256 = (value: Json): Hash => hash('sha256', canonicalJson(value), 'hex');

/** A place of a chain as a verifier gets it. */
export type ChainLink = ShownLink | LeftOutLink;

/** An event with its place; null = not sealed yet. */
export type ShownLink = ChainedEvent & Pick<HistoryEntry, 'chain' | 'doubt'>;

/** A place whose event is not shown: the hash of its content still binds the places before it to those after it. */
interface LeftOutLink {
  readonly contentHash: Hash;
  readonly chain: ChainPlace;
}

export type SealedLink = ChainLink & { readonly chain: ChainPlace };

/** Null for an event that cannot be left out: it is not sealed, or its hash does not include its content's hash. */
export const leaveOut = (entry: HistoryEntry): LeftOutLink | null =>
  entry.chain && hasContentHash(entry.metadata) ? { contentHash: contentHash(entry), chain: entry.chain } : null;

/** The hash of a link's content after another hash than the one it names. */
export const hashAfter = (link: ChainLink, previousHash: Hash): Hash =>
  'contentHash' in link ? linkHash(link.contentHash, previousHash) : chainHash(link, previousHash);

/** Returns whether its hash is that of its content and of the hash that it names as the previous one. */
export const isConsistent = (link: SealedLink): boolean => hashAfter(link, link.chain.previousHash) === link.chain.hash;

export const idOf = (link: ChainLink): { readonly id?: string } => ('id' in link ? { id: link.id } : {});

/**
 * `sealed` = its hash at its place of the chain is that of its content; `pending` = too new to be sealed; `unproven` = it
 * is not what was sealed, was not sealed in time, or was written by something else.
 */
export const PROOF_STATES = ['sealed', 'pending', 'unproven'] as const;
export type ProofState = (typeof PROOF_STATES)[number];

/**
 * Returns how far an entry is proven by itself; whether the chain leads on from it to a signed head is proven by
 * verify-chain.ts.
 */
export function proofOf(entry: HistoryEntry): ProofState {
  const { chain, doubt } = entry;
  if (doubt) return 'unproven';
  if (!chain) return 'pending';
  return chainHash(entry, chain.previousHash) === chain.hash ? 'sealed' : 'unproven';
}

/**
 * RFC 8785: no white space, names sorted by UTF-16 code units, numbers and strings as ECMAScript writes them.
 * A lone surrogate, which the RFC leaves out, is written as its six-character escape; what JSON drops is dropped.
 */
export function canonicalJson(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

const isList = (value: object): value is readonly Json[] => Array.isArray(value);
