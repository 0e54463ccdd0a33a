import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { Json, JsonObject } from '@ledgerline/contracts/json';
import { type IntakeItem, HitTooLarge, MAX_HIT_BYTES, partitionOf } from './intake-log';

/** A hit that can be written: checked before it waits for its flush, so that a bad one fails alone. */
export interface EncodedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly type: string;
  /** Whole epoch ms. */
  readonly at: number;
  /** About the characters of its JSON before escaping; cheap, and near enough to bound what is pending. */
  readonly bytes: number;
  /** The event's id as 32 hex digits. */
  readonly id: string;
  /** What it is recognised by when it comes again: its batch's id, or its own; 32 hex digits. */
  readonly key: string;
  readonly dedupe: IntakeItem['dedupe'];
  readonly trace: IntakeItem['trace'];
}

const BATCH = /^[0-9a-f]{32}$/;

/** @throws HitTooLarge · RangeError for an id, a batch's id or a time that is none, and for data that is nested too deeply */
export function encodeHit({ event, subject, dedupe, batch, trace }: IntakeItem, partitions: number): EncodedHit {
  const bytes = roughLength(event as unknown as Json); // events are plain data
  if (bytes * BYTES_PER_CHARACTER > MAX_HIT_BYTES) checkLength(event);
  const at = Math.trunc(event.at);
  if (!Number.isSafeInteger(at)) throw new RangeError(`${event.type} ${event.id} happened at no time`);
  if (batch !== undefined && !BATCH.test(batch)) throw new RangeError(`${event.type} ${event.id} has no batch id`);
  const id = decodeEventId(event.id).toString('hex');
  return {
    event,
    partition: partitionOf(subject, partitions),
    type: event.type,
    at,
    bytes,
    id,
    key: batch ?? id,
    dedupe,
    trace,
  };
}

/** No character of JSON takes more: `\u0000`. */
const BYTES_PER_CHARACTER = 6;

/** JSON.stringify, which calls itself for each level, has room for some thousands. */
const MAX_DEPTH = 500;

/** The characters of its JSON before escaping, or a few more; making the JSON takes ten times as long. @throws RangeError */
function roughLength(value: Json | undefined, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 24; // no number is longer
  if (depth > MAX_DEPTH) throw new RangeError(`an event is nested deeper than ${MAX_DEPTH} levels`);
  let length = 2;
  for (const key of Object.keys(value)) length += key.length + 4 + roughLength((value as JsonObject)[key], depth + 1);
  return length;
}

function checkLength(event: ObservedEvent): void {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes > MAX_HIT_BYTES) throw new HitTooLarge(`${event.type} ${event.id} has ${bytes} bytes of JSON`);
}
