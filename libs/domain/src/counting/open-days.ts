import type { SessionChunk } from '@ledgerline/contracts/read-models/session-days';
import { decodeSessions } from '../session-days/session-day';
import { decodePart, keysOf, livePlaces, NOBODY, type PackedPart } from '../session-days/session-part';
import { sessionsAt } from './columns';

/** The parts of a day that is open. */
export interface OpenDay {
  /** Since 1970-01-01. */
  readonly day: number;
  readonly newestFirst: readonly PackedPart[];
  /** The keys of sessions that have changed since. */
  readonly changed: Uint8Array;
}

/** The sessions of the parts of a day, but for those that have changed since. */
export function sessionsOfParts({ day, newestFirst, changed }: OpenDay): readonly SessionChunk[] {
  const [, ...live] = livePlaces([{ keys: changed, gone: NOBODY }, ...newestFirst.map(keysOf)]);
  return newestFirst.map((part, nth) => sessionsAt(decodePart(part, day), live[nth] ?? new Int32Array()));
}

const NO_ROWS = new Int32Array();

/** All of these sessions as one chunk. */
export const joinedChunks = (chunks: readonly SessionChunk[]): SessionChunk =>
  decodeSessions({ size: NO_ROWS, day: NO_ROWS, country: NO_ROWS, device_type: NO_ROWS }, [], chunks);
