import type { ChainHead, ChainPlace, Hash } from '../event-store';

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
  /** Of the head; see {@link signHead}. */
  readonly signature: string;
}

export const SEAL_TYPE = 'ChainSealed';
export const MAX_PLACES = 100;

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
