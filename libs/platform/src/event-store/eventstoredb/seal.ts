import type { ResolvedEvent } from '@eventstore/db-client';
import type { ChainHead, ChainPlace, Hash } from '../event-store';
import { isCursor } from './position';

/** These events, in this order, are the next ones of an organization's chain. */
export interface Seal {
  readonly organization: string;
  /** Revision in the chain of the first event sealed here. */
  readonly from: number;
  /** Hash of the place before it. */
  readonly previousHash: Hash;
  /** Event id and hash, in order; at least one. */
  readonly places: readonly (readonly [id: string, hash: Hash])[];
  /** Cursor of the last event sealed here. */
  readonly cursor: string;
  /** From where the sealer reads when it starts again after this seal. */
  readonly resume: string;
  /** Revision, in the stream of seals, of the first one that counts, where those before it were replaced; else 0. */
  readonly begin?: number;
  /** Of the head; see signed-head.ts. The first seals had neither the time nor the id of the key. */
  readonly signature: string;
  readonly signedAt?: string;
  readonly keyId?: string;
}

export const SEAL_TYPE = 'ChainSealed';
export const MAX_PLACES = 100;

/** A seal and where it lies in its organization's stream of seals. */
export interface StoredSeal {
  readonly seal: Seal;
  readonly revision: bigint;
}

/** The newest event in a stream of seals; without a seal where something else wrote it. */
export interface StreamTail {
  readonly revision: bigint;
  readonly seal?: Seal;
}

/** A missing signature counts as a wrong one, so that its removal is reported. */
type Written = Omit<Seal, 'signature'> & { readonly signature?: unknown };

/** Undefined for what is no seal. */
export function toSeal({ event }: ResolvedEvent): StoredSeal | undefined {
  if (event?.type !== SEAL_TYPE) return undefined;
  const written = event.data as unknown as Written | null; // as Seals.append or another client wrote it
  if (!written || !isComplete(written)) return undefined;
  const signature = typeof written.signature === 'string' ? written.signature : '';
  return { seal: { ...written, signature }, revision: event.revision };
}

const isComplete = ({ from, begin = 0, previousHash, places, cursor, resume }: Partial<Written>): boolean =>
  [from, begin].every((revision) => Number.isSafeInteger(revision) && Number(revision) >= 0) &&
  Array.isArray(places) &&
  places.length > 0 &&
  places.every((place) => Array.isArray(place) && place.length === 2 && place.every(isText)) &&
  typeof previousHash === 'string' &&
  [cursor, resume].every(isCursor);

const isText = (value: unknown): boolean => typeof value === 'string';

export function headOf({ from, places }: Pick<Seal, 'from' | 'places'>): ChainHead {
  const last = places.at(-1);
  if (!last) throw new Error('A seal covers at least one event.');
  return { revision: from + places.length - 1, hash: last[1] };
}

/** The places a seal proves, by event id. */
export function placesOf({ from, previousHash, places }: Seal): Map<string, ChainPlace> {
  return new Map(
    places.map(([id, hash], at) => [
      id,
      { revision: from + at, hash, previousHash: places[at - 1]?.[1] ?? previousHash },
    ]),
  );
}
