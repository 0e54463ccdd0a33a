import { jsonEvent, type JSONEventData, type RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { isObject, type JsonObject } from '@ledgerline/contracts/json';
import type { CheckedEvent } from '@ledgerline/platform/event-store/appended-events';
import {
  INTERNAL_ORGANIZATION,
  streamOrganization,
  STORE_METADATA,
  type EventMetadata,
  type RecordedEvent,
} from '@ledgerline/platform/event-store/event-store';
import { positionToCursor } from './position';

/** The members that an event in EventStoreDB has beside its data and metadata. */
interface Envelope {
  readonly sealed?: string;
  /** Identifies the append call that wrote the event, as several may have tried under one id. */
  readonly attempt: string;
  /** ISO 8601; the first events have it only where they were copied from another store. */
  readonly recordedAt?: string;
}

/** An append call; several may try to write one event. */
export interface AppendAttempt {
  readonly id: string;
  readonly at: Date;
}

/** The metadata of an event in EventStoreDB: ours, under its own names where it has some, and the envelope. */
type StoredMetadata = EventMetadata & { readonly [STORE_METADATA]?: Envelope };

/** The first events had their metadata one level deeper. */
type FirstForm = Partial<Envelope> & { readonly metadata?: EventMetadata };

/** Our names and those that EventStoreDB's projections look for; either is stored under the other, so none is lost. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({ correlation: '$correlationId', causation: '$causationId' }).flatMap(([ours, theirs]) => [
    [ours, theirs],
    [theirs, ours],
  ]),
);

export function toStored(event: CheckedEvent, attempt: AppendAttempt): JSONEventData {
  const { id, type, data, metadata, sealed, recordedAt = attempt.at } = event;
  const envelope: Envelope = {
    attempt: attempt.id,
    ...(sealed === undefined ? {} : { sealed }),
    recordedAt: recordedAt.toISOString(),
  };
  return jsonEvent({ id, type, data, metadata: { ...renamed(metadata), [STORE_METADATA]: envelope } });
}

export function storedToRecordedEvent(stored: StoredEvent): RecordedEvent {
  const { metadata, envelope } = read(stored);
  const { sealed, recordedAt } = envelope;
  return {
    stream: stored.streamId,
    revision: Number(stored.revision),
    id: stored.id,
    type: stored.type,
    data: stored.data as JsonObject, // what toStored wrote
    ...(sealed === undefined ? {} : { sealed }),
    metadata,
    cursor: storedEventCursor(stored),
    recordedAt: timeOf(recordedAt) ?? stored.created,
  };
}

/** Undefined where there is none, or another client wrote something else. */
function timeOf(recordedAt: string | undefined): Date | undefined {
  const time = new Date(recordedAt ?? NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

export const attemptOf = (stored: StoredEvent): string => read(stored).envelope.attempt;

/** Returns whether another client appended it, without our envelope. */
export function isForeign(stored: StoredEvent): boolean {
  const attempt: unknown = attemptOf(stored); // as another client may have written it
  return typeof attempt !== 'string' || attempt === '';
}

export function storedEventCursor({ position, streamId }: StoredEvent): string {
  if (!position) throw new Error(`EventStoreDB gave an event of ${streamId} without its position.`);
  return positionToCursor(position);
}

/** An event as it will be read, once the server has acknowledged it. */
export function asRecorded(
  { id, type, data, sealed, metadata, recordedAt }: CheckedEvent,
  place: Pick<RecordedEvent, 'stream' | 'revision' | 'cursor'>,
  attempt: AppendAttempt,
): RecordedEvent {
  const rest = { metadata, recordedAt: recordedAt ?? attempt.at, ...(sealed === undefined ? {} : { sealed }) };
  return { ...place, id, type, data, ...rest };
}

/**
 * The types of events that the server writes itself when a stream is deleted: it names no category in which to find it
 * again.
 */
const OF_THE_SERVER = new Set(['$streamDeleted', '$metadata']);

/** Decided events; not those of the server, nor our seals and the epoch, nor streams in no category, which have no organization. */
export const isDecided = ({ streamId, type }: StoredEvent): boolean =>
  !streamId.startsWith('$') &&
  !OF_THE_SERVER.has(type) &&
  streamId.indexOf('-') > 0 &&
  streamOrganization(streamId) !== INTERNAL_ORGANIZATION;

/** Events appended by other clients have no envelope, and no metadata, or some of any shape. */
function read({ metadata }: StoredEvent): { metadata: EventMetadata; envelope: Envelope } {
  const { [STORE_METADATA]: envelope, ...own } = (metadata ?? {}) as StoredMetadata; // as toStored wrote it, if it did
  if (isObject(envelope)) return { metadata: renamed(own), envelope };
  const first = (metadata ?? {}) as FirstForm;
  return {
    metadata: isObject(first.metadata) ? first.metadata : {},
    envelope: { ...first, attempt: first.attempt ?? '' },
  };
}

const renamed = (metadata: EventMetadata): EventMetadata =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [OWN_NAMES.get(name) ?? name, value]));
