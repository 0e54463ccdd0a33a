import { sql } from '../database/sql';
import type { EventMetadata, RecordedEvent } from './event-store';
import type { JsonObject } from '@ledgerline/contracts/json';

/** A row of `events` as `eventColumns` selects it. */
export interface EventRow {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly sealed: string | null;
  readonly metadata: EventMetadata;
  readonly recorded_at: Date;
}

export const eventColumns = sql`position, stream, revision, id, type, data, sealed, metadata, recorded_at`;

export const toRecorded = ({ position, sealed, recorded_at, ...event }: EventRow): RecordedEvent => ({
  ...event,
  ...(sealed === null ? {} : { sealed }),
  cursor: position,
  recordedAt: recorded_at,
});
