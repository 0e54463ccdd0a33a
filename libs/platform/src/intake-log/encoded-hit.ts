import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { type Hit, HitTooLarge, MAX_HIT_BYTES } from './intake-log';
import { partitionOf } from './partition-of';

/** A hit as it is written: made once, before it waits for its flush, so that a bad one fails alone. */
export interface EncodedHit {
  readonly partition: number;
  readonly type: string;
  readonly at: number;
  /** JSON without line breaks, and its length in UTF-8. */
  readonly line: string;
  readonly bytes: number;
  /** The id as 32 hex digits where a second one is a retry; null = never. */
  readonly key: string | null;
  readonly forever: boolean;
}

/** @throws HitTooLarge · RangeError for an id that is none */
export function encodeHit({ event, subject, dedupe }: Hit, partitions: number): EncodedHit {
  const line = JSON.stringify(event);
  const bytes = Buffer.byteLength(line);
  if (bytes > MAX_HIT_BYTES) throw new HitTooLarge(`${event.type} ${event.id} has ${bytes} bytes of JSON`);
  return {
    partition: partitionOf(subject, partitions),
    type: event.type,
    at: Math.trunc(event.at),
    line,
    bytes,
    key: dedupe === 'never' ? null : decodeEventId(event.id).toString('hex'),
    forever: dedupe === 'forever',
  };
}
