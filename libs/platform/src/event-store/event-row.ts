import { sql } from '../database/sql';
import type { EventMetadata, Hash, RecordedEvent, StreamName } from './event-store';
import type { JsonObject } from '@ledgerline/contracts/json';

/** A row of `events` as `eventColumns` selects it. */
export interface EventRow {
  readonly position: string;
  readonly stream: StreamName;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly sealed: string | null;
  readonly metadata: EventMetadata;
  readonly recorded_at: Date;
}

export const eventColumns = sql`position, stream, revision, id, type, data, sealed, metadata, recorded_at`;

export const toRecorded = ({ stream, revision, id, type, data, metadata, ...row }: EventRow): RecordedEvent => ({
  stream,
  revision,
  id,
  type,
  data,
  metadata,
  ...(row.sealed === null ? {} : { sealed: row.sealed }),
  cursor: row.position,
  recordedAt: row.recorded_at,
});

/** An {@link EventRow} with its place in the chain, as `historyColumns` selects it. */
export interface HistoryRow extends EventRow {
  readonly chain_revision: string;
  readonly hash: Hash;
  readonly previous_hash: Hash;
}

export const historyColumns = sql`${eventColumns}, chain_revision,
  encode(hash, 'hex') as hash, encode(previous_hash, 'hex') as previous_hash`;

export const toHistoryEntry = ({ chain_revision, hash, previous_hash, ...row }: HistoryRow) => ({
  ...toRecorded(row),
  chain: { revision: Number(chain_revision), hash, previousHash: previous_hash },
});
