import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { type Hit, HitTooLarge, MAX_HIT_BYTES } from './intake-log';
import { partitionOf } from './partition-of';

/** A hit that can be written: checked before it waits for its flush, so that a bad one fails alone. */
export interface EncodedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly type: string;
  /** Whole epoch ms. */
  readonly at: number;
  /** Length of its JSON in UTF-8. */
  readonly bytes: number;
  /** The event's id as 32 hex digits. */
  readonly id: string;
  readonly dedupe: Hit['dedupe'];
}

/** @throws HitTooLarge · RangeError for an id or a time that is none */
export function encodeHit({ event, subject, dedupe }: Hit, partitions: number): EncodedHit {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes > MAX_HIT_BYTES) throw new HitTooLarge(`${event.type} ${event.id} has ${bytes} bytes of JSON`);
  const at = Math.trunc(event.at);
  if (!Number.isSafeInteger(at)) throw new RangeError(`${event.type} ${event.id} happened at no time`);
  return {
    event,
    partition: partitionOf(subject, partitions),
    type: event.type,
    at,
    bytes,
    id: decodeEventId(event.id).toString('hex'),
    dedupe,
  };
}
