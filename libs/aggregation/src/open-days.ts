import type { SessionChunk, SessionKey } from '@ledgerline/contracts/read-models/session-days';
import { decodeSessions } from './session-day';
import { decodePart, keysOf, livePlaces, NO_KEYS, type PackedPart } from './session-part';
import { bytes } from './scratch';
import type { SelectingFilter } from './scope';
import { placesWith } from './columns';
import { dropUnlessAny, dropUnmatched } from './select-sessions';

/** The parts of a day that is open. */
export interface OpenDay {
  /** Since 1970-01-01. */
  readonly day: number;
  readonly newestFirst: readonly PackedPart[];
  /** The keys of sessions that have changed since. */
  readonly changed: Uint8Array;
}

/**
 * The sessions of the parts of a day, but for those that have changed since.
 * @param filters on the country and the device alone; what does not pass them is not decoded
 */
export function sessionsOfParts(
  { day, newestFirst, changed }: OpenDay,
  filters: readonly SelectingFilter[] = [],
): readonly SessionChunk[] {
  const [, ...live] = livePlaces([{ keys: changed, gone: NO_KEYS }, ...newestFirst.map(keysOf)]);
  return newestFirst.map((part, nth) => {
    const places = live[nth] ?? new Int32Array();
    return decodePart(part, day, filters.length === 0 ? places : passing(part, day, places, filters));
  });
}

function passing(part: PackedPart, day: number, places: Int32Array, filters: readonly SelectingFilter[]): Int32Array {
  const { field } = decodePart(part, day);
  const isLive = bytes(part.size);
  for (const place of places) isLive[place] = 1;
  for (const filter of filters)
    dropUnlessAny(filter, isLive, (alternative, marks) =>
      dropUnmatched(field(alternative.field as SessionKey), alternative, marks),
    );
  return placesWith(isLive);
}

const NO_ROWS = new Int32Array();

/** All of these sessions as one chunk. */
export const joinedChunks = (chunks: readonly SessionChunk[]): SessionChunk =>
  decodeSessions({ size: NO_ROWS, day: NO_ROWS, country: NO_ROWS, device_type: NO_ROWS }, [], chunks);
