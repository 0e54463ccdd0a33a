import type { JsonObject } from '@ledgerline/contracts/json';
import type { Cursor, LogReader } from '../log/log-reader';

/** `<organizationId>-<kind>-<id>`, or `global-<kind>-<id>`; the text before the first dash is the organization. */
export type StreamName = string;

export interface NewEvent {
  /** UUID; `uuidv5(commandId, n)`, so that a retried command cannot append twice. */
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  /** Ciphertext (base64) of what may have to be forgotten; hashed as it is, so forgetting the key breaks no chain. */
  readonly sealed?: string;
  readonly metadata: EventMetadata;
  /** Only for events copied from another store; otherwise the store says when. */
  readonly recordedAt?: Date;
}

/** String to string, as every store can keep it: correlation, causation, command, actor, request ids, app, version. */
export type EventMetadata = Readonly<Record<string, string>>;

export interface RecordedEvent extends NewEvent {
  readonly stream: StreamName;
  /** From 0 in each stream. */
  readonly revision: number;
  /** The event's place in the one total order. */
  readonly cursor: Cursor;
  readonly recordedAt: Date;
}

/** SHA-256 as 64 lower-case hex digits. */
export type Hash = string;

/** An event's place in its organization's chain (see chain-hash.ts). */
export interface ChainPlace {
  /** From 0 in each organization. */
  readonly revision: number;
  readonly hash: Hash;
  readonly previousHash: Hash;
}

/** The newest place of a chain. */
export type ChainHead = Omit<ChainPlace, 'previousHash'>;

/** A head as a store keeps it, signed where the store signs (see signed-head.ts). */
export interface SealedHead extends ChainHead {
  readonly signature?: string;
}

/** An event in an organization's history. */
export interface HistoryEntry extends RecordedEvent {
  /** What the store holds to prove the event; null as long as it is not sealed yet. */
  readonly chain: ChainPlace | null;
}

/** There is no "any": a decision rests on the state it was taken in. */
export type ExpectedRevision = 'no-stream' | number;

export type AppendResult =
  | { readonly ok: true; readonly revision: number; readonly cursor: Cursor; readonly replayed: boolean }
  | { readonly ok: false; readonly conflict: ExpectedRevision };

export interface HistoryPage {
  readonly organization: string;
  readonly before?: Cursor;
  readonly limit: number;
}

/** Decided events: a stream per thing, expected revisions, one total order, one hash chain per organization. */
export interface EventStore extends LogReader<RecordedEvent> {
  /**
   * All or nothing. The same (stream, expected, ids) with the same content again answers the first result, `replayed`.
   * Content is type, data and sealed part; metadata tells of the attempt, so the first one's stands.
   * @throws EventTooLarge before anything is written · LogUnavailable when the outcome cannot be known or the store is down
   */
  append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;

  /** Empty for a stream that does not exist. `from` is inclusive. */
  readStream(
    stream: StreamName,
    options?: { direction?: 'forward' | 'backward'; from?: number; limit?: number },
  ): Promise<readonly RecordedEvent[]>;

  /** One page of an organization's history, newest first; `before` excludes that place and everything newer. */
  readBack(page: HistoryPage): Promise<readonly HistoryEntry[]>;

  /** The newest place that is sealed; null when the organization has no history. */
  chainHead(organization: string): Promise<SealedHead | null>;

  /** Finishes or rejects what is under way and releases every connection. */
  close(): Promise<void>;
}

/** An event over 64 KiB or an append over 1 MiB. */
export class EventTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EventTooLarge';
  }
}

/** Streams of this organization are the store's own notes; nobody appends to them and no reader sees them. */
export const OWN_NOTES = 'ledgerline';

export const MAX_EVENT_BYTES = 64 * 1024;
export const MAX_APPEND_BYTES = 1024 * 1024;

/** The organization a stream belongs to. */
export const organizationOf = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'));
