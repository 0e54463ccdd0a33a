import { type Recorded, decidedVersions } from '@ledgerline/contracts/events/event-versions';
import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import { type JsonObject, isObject } from '@ledgerline/contracts/json';
import { type Cursor, EpochChanged, type LogReader, countUnknown } from '../log/log-reader';
import type { Deadline } from '../log/timing';

/** `<organizationId>-<kind>-<id>`, or `global-<kind>-<id>`; the text before the first dash is the organization. */
export type StreamName = string;

export interface NewEvent {
  /** UUID; `uuidv5(commandId, n)`, so that a retried command cannot append twice. */
  readonly id: string;
  readonly type: string;
  /** Plain JSON. */
  readonly data: object;
  /** Personal data, encrypted (base64; see personal-data/personal-data-cipher.ts). The chain hashes the ciphertext, so deleting the key breaks no chain. */
  readonly sealed?: string;
  readonly metadata: EventMetadata;
  /** Only for events copied from another store; otherwise the store sets it, on EventStoreDB by the clock of this process. */
  readonly recordedAt?: Date;
}

/** String to string, which every store supports: correlation, causation, command, actor, request ids, app, version. */
export type EventMetadata = Readonly<Record<string, string>>;

/** An event whose data can be read member by member: it is what is stored. */
export interface JsonEvent extends NewEvent {
  readonly data: JsonObject;
}

export interface RecordedEvent extends JsonEvent {
  readonly stream: StreamName;
  /** From 0 in each stream. */
  readonly revision: number;
  /** The event's position in the global order. */
  readonly cursor: Cursor;
  readonly recordedAt: Date;
}

/** SHA-256 as 64 lower-case hex digits. */
export type Hash = string;

/** An event's position in its organization's hash chain (see appended-events.ts). */
export interface ChainPlace {
  /** From 0 in each organization. */
  readonly revision: number;
  readonly hash: Hash;
  readonly previousHash: Hash;
}

/** The newest position of a chain. */
export type ChainHead = Omit<ChainPlace, 'previousHash'>;

/** A head as it is stored, signed on stores that sign (see head-statement.ts). */
export interface SealedHead extends ChainHead {
  readonly signature?: string;
  readonly signedAt?: string;
  readonly keyId?: string;
  /** All that the seal of the head says, signed whole; the first seals had only their head signed. */
  readonly statement?: JsonObject & Pick<Required<SealedHead>, 'signature' | 'signedAt' | 'keyId'>;
}

/** An event in an organization's history. */
export interface HistoryEntry extends RecordedEvent {
  /** The event's position and hash in the chain; null until it is sealed. */
  readonly chain: ChainPlace | null;
  /**
   * The fault that the store itself finds: it was not sealed within the time a sealer can be away, is not the
   * product's, or stands where the event after it (or the head) names another one.
   */
  readonly doubt?: 'overdue' | 'foreign' | 'replaced';
}

/** There is no "any": a decision is valid only for the revision it was made on. */
export type ExpectedRevision = 'no-stream' | number;

export interface AppendOptions {
  /**
   * The ids are unique to this append: no other one with them was stored or ever will be. So nothing can be stored under
   * them already, and an acknowledged append needs no comparison with what is stored.
   */
  readonly newIds?: boolean;
  /** By default the append has one of its own. */
  readonly deadline?: Deadline | undefined;
}

/** Events for the end of a stream. */
export interface AppendRequest extends AppendOptions {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

export type AppendResult =
  | {
      readonly ok: true;
      readonly revision: number;
      readonly cursor: Cursor;
      readonly replayed: boolean;
      /** As they are stored. */
      readonly events: readonly RecordedEvent[];
    }
  | { readonly ok: false; readonly conflict: ExpectedRevision };

export interface HistoryPage {
  readonly organization: string;
  readonly before?: Cursor;
  readonly limit: number;
}

/** Port of the decided events: one stream per aggregate, expected revisions, a global order, one hash chain per organization. */
export interface EventStore extends LogReader<RecordedEvent> {
  /**
   * All or nothing. Repeated with the same (stream, expected, ids) and content it returns the first result, `replayed`.
   * Content is type, data and sealed part; the metadata of the first attempt stays.
   * @throws EventTooLarge before anything is written · LogUnavailable when the store is down and nothing was stored
   *   · OutcomeUnknown when it was lost meanwhile
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult>;

  /**
   * Several appends, each one only if those before it are stored; the results end with the first conflict. On Postgres
   * all that are stored are one transaction, on EventStoreDB a crash may leave the first ones alone.
   * @throws as `append`; OutcomeUnknown also when only the first ones are stored
   */
  appendInOrder(appends: readonly AppendRequest[]): Promise<readonly AppendResult[]>;

  /** Empty for a stream that does not exist. `from` is inclusive. */
  readStream(
    stream: StreamName,
    options?: { direction?: 'forward' | 'backward'; from?: number; limit?: number; deadline?: Deadline | undefined },
  ): Promise<readonly RecordedEvent[]>;

  /**
   * One page of an organization's history, newest first; `before` excludes that position and everything newer.
   * @throws EpochChanged when `before` can be no place of this log
   */
  readBack(page: HistoryPage): Promise<readonly HistoryEntry[]>;

  /** The newest sealed position; null when the organization has no history. */
  chainHead(organization: string): Promise<SealedHead | null>;

  /** Resolves while events can be appended; appends none. @throws LogUnavailable */
  probe(): Promise<void>;

  /** Returns what an operator has to see to in the store while it serves, in a sentence each. @throws LogUnavailable */
  warnings(): Promise<readonly string[]>;

  /** Completes or rejects pending calls and closes every connection. */
  close(): Promise<void>;
}

/** An event over 64 KiB or an append over 1 MiB. */
export class EventTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EventTooLarge';
  }
}

/** Streams of this pseudo organization are internal to the store: not appendable and not visible to readers. */
export const INTERNAL_ORGANIZATION = 'ledgerline';

/** A name in metadata that belongs to the stores. */
export const STORE_METADATA = '$ledgerline';

export const MAX_EVENT_BYTES = 64 * 1024;
export const MAX_APPEND_BYTES = 1024 * 1024;

/** The organization a stream belongs to. */
export const streamOrganization = (stream: StreamName): string => stream.slice(0, stream.indexOf('-'));

/**
 * The command with which an operator repairs it; the registry is the one group that is projected from the event store.
 */
const REBUILD = 'npm run projections -- rebuild registry --accept';

/** A reader stands on an event that the store does not have. */
export const storeReplaced = (position: string): EpochChanged =>
  new EpochChanged(
    `The event store is not the one that was read: its head lies before position ${position}, or another event is there, as after an older copy was restored. Restore the newer one, or go on with this one: ${REBUILD}`,
  );

/** In metadata, the version of the event's data; absent = 1. `schemaVersion` is that of the chain's formula. */
const EVENT_VERSION = 'eventVersion';

/** Returns what this program writes into the metadata of a type's events. */
export function versionMetadata(type: string): EventMetadata {
  const version = decidedVersions.current(type);
  return version === 1 ? {} : { [EVENT_VERSION]: String(version) };
}

/** In place of an organization, for streams that belong to none. */
export const GLOBAL = 'global';

/** Returns whether a stream belongs to no organization, as that of a slug. */
export const isShared = (stream: StreamName): boolean => streamOrganization(stream) === GLOBAL;

/** Returns whether an event of another client names another organization than its stream, which decides whose it is. */
export const contradictsStream = ({ stream, data }: Pick<RecordedEvent, 'stream' | 'data'>): boolean =>
  !isShared(stream) && (isObject(data) ? data['organizationId'] : undefined) !== streamOrganization(stream);

/**
 * An event with its data in the current version; undefined for one that contradicts its stream, and, counted, for a type
 * or version that this program does not know.
 */
export function asDecided<Event extends RecordedEvent>(event: Event): (Event & Recorded) | undefined {
  const { type, metadata, data: stored } = event;
  const version = Number(metadata[EVENT_VERSION] ?? 1);
  const data = decidedVersions.upcaster(type, version)?.(stored);
  if (data === undefined) {
    countUnknown({ log: 'event store', type, version });
    return undefined;
  }
  if (contradictsStream(event)) return undefined;
  return (data === stored ? event : { ...event, data }) as Event & Recorded; // the product alone appends its types
}

/** Returns the events that this program can use, see {@link asDecided}. */
export const decidedIn = <Event extends RecordedEvent>(events: readonly Event[]): (Event & Recorded)[] =>
  events.flatMap((event) => asDecided(event) ?? []);

/** ISO 8601 UTC: when the command was handled; events of early versions have the time of their recording only. */
export function occurredAt({ metadata, recordedAt }: Pick<RecordedEvent, 'metadata' | 'recordedAt'>): string {
  const time = Date.parse(metadata.occurredAt ?? '');
  return (Number.isNaN(time) ? recordedAt : new Date(time)).toISOString();
}

/** Events of the wanted types (undefined = all); of the others, those of unknown types are counted. */
export function wantedIn<Event extends { readonly type: string }>(
  events: readonly Event[],
  types: readonly string[] | undefined,
): readonly Event[] {
  if (types === undefined) return events;
  return events.filter(({ type }) => {
    const isWanted = types.includes(type);
    if (!isWanted && !decidedVersions.isKnown(type)) countUnknown({ log: 'event store', type, version: 1 });
    return isWanted;
  });
}

/** The type of the event with which an organization begins, in its stream. */
export const ORGANIZATION_CREATED = 'OrganizationCreated' satisfies OrganizationEvent['type'];

/** Slugs of status pages are unique over all organizations. */
export const statusSlugStream = (slug: string): StreamName => `global-statusslug-${slug}`;

export const erasureStream = (organizationId: string, id: string): StreamName => `${organizationId}-erasure-${id}`;

/** One export of the audit log. */
export const exportStream = (organizationId: string, id: string): StreamName => `${organizationId}-export-${id}`;

/** One test of a destination, or one wish to have messages sent again. */
export const destinationUseStream = (organizationId: string, id: string): StreamName =>
  `${organizationId}-destinationuse-${id}`;

/** One resealing of the audit log. */
export const resealStream = (organizationId: string, id: string): StreamName => `${organizationId}-reseal-${id}`;

/** One acceptance of tables that differ from a rebuild. */
export const acceptanceStream = (organizationId: string, id: string): StreamName => `${organizationId}-rebuild-${id}`;

/** Slugs are unique over all organizations. */
export const slugStream = (slug: string): StreamName => `global-slug-${slug}`;

/** Signed heads of the intake log; belongs to no organization, and is copied with all other streams. */
export const SIGNED_HEADS_STREAM: StreamName = 'global-intake-heads';

/** An organization's history page by page, newest first; reads the next page when it is asked for. */
export async function* historyPages(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  limit: number,
  start?: Cursor,
): AsyncGenerator<readonly HistoryEntry[], void> {
  for (let before = start; ;) {
    const page = await store.readBack({ organization, limit, ...(before === undefined ? {} : { before }) });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.cursor;
  }
}

/** Reads a history entry by entry; `onPage` is called with the number of entries after each page. */
export async function* historyEntries(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  pageSize: number,
  onPage?: (entries: number) => void,
): AsyncGenerator<HistoryEntry, void> {
  for await (const page of historyPages(store, organization, pageSize)) {
    yield* page;
    onPage?.(page.length);
  }
}

const PAGE = 1_000;

/** All events of a stream, page by page; empty for one that does not exist. */
export async function readWholeStream(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  deadline?: Deadline,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: events.length, limit: PAGE, deadline });
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}
