import { jsonEvent, type JSONEventData, type RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { CheckedEvent } from '../checked-append';
import { INTERNAL_ORGANIZATION, organizationOf, type EventMetadata, type RecordedEvent } from '../event-store';
import { toCursor } from './position';

/** What stands in the metadata of an event in EventStoreDB. */
interface Envelope {
  readonly metadata: EventMetadata;
  readonly sealed?: string;
  /** Identifies the append call that wrote the event, as several may have tried under one id. */
  readonly attempt: string;
  /** ISO 8601; only on events copied from another store. */
  readonly recordedAt?: string;
}

export function toStored(event: CheckedEvent, attempt: string): JSONEventData {
  const { id, type, data, metadata, sealed, recordedAt } = event;
  const envelope: Envelope = {
    metadata,
    attempt,
    ...(sealed === undefined ? {} : { sealed }),
    ...(recordedAt === undefined ? {} : { recordedAt: recordedAt.toISOString() }),
  };
  return jsonEvent({ id, type, data, metadata: envelope });
}

export function toRecorded(stored: StoredEvent): RecordedEvent {
  const { metadata, sealed, recordedAt } = envelopeOf(stored);
  return {
    stream: stored.streamId,
    revision: Number(stored.revision),
    id: stored.id,
    type: stored.type,
    data: stored.data as JsonObject, // what toStored wrote
    ...(sealed === undefined ? {} : { sealed }),
    metadata,
    cursor: cursorOf(stored),
    recordedAt: recordedAt === undefined ? stored.created : new Date(recordedAt),
  };
}

export const attemptOf = (stored: StoredEvent): string => envelopeOf(stored).attempt;

export function cursorOf({ position, streamId }: StoredEvent): string {
  if (!position) throw new Error(`EventStoreDB gave an event of ${streamId} without its position.`);
  return toCursor(position);
}

/** Decided events; not those of the server, nor our seals and the epoch. */
export const isDecided = ({ streamId }: StoredEvent): boolean =>
  !streamId.startsWith('$') && organizationOf(streamId) !== INTERNAL_ORGANIZATION;

/** Events appended by other clients have no envelope and get an empty one. */
function envelopeOf({ metadata }: StoredEvent): Envelope {
  const stored = (metadata ?? {}) as unknown as Partial<Envelope>; // as toStored wrote it, if it did
  return { ...stored, metadata: stored.metadata ?? {}, attempt: stored.attempt ?? '' };
}
