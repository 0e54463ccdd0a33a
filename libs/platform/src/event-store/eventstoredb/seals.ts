import { randomUUID } from 'node:crypto';
import { jsonEvent, NO_STREAM, WrongExpectedVersionError, type ResolvedEvent } from '@eventstore/db-client';
import { INTERNAL_ORGANIZATION, type ChainHead, type ChainPlace, type Hash, type SealedHead } from '../event-store';
import { unavailable, type Connection } from './connection';

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

/** A missing signature counts as a wrong one, so that its removal is reported. */
type Written = Omit<Seal, 'signature'> & { readonly signature?: unknown };

const streamOf = (organization: string) => `${INTERNAL_ORGANIZATION}-seals_${organization}`;

/** The seals of all organizations, one stream each. */
export class Seals {
  constructor(private readonly connection: Connection) {}

  async newest(organization: string): Promise<StoredSeal | undefined> {
    return (await this.back(organization, 1))[0];
  }

  async head(organization: string): Promise<SealedHead | null> {
    const newest = await this.newest(organization);
    if (!newest) return null;
    const { signature, signedAt, keyId } = newest.seal;
    const isDated = signedAt !== undefined && keyId !== undefined;
    return { ...headOf(newest.seal), signature, ...(isDated ? { signedAt, keyId } : {}) };
  }

  /** The sealed places of the chain's revisions from `low` to `high`, by event id. */
  async places(organization: string, low: number, high: number): Promise<Map<string, ChainPlace>> {
    const places = new Map<string, ChainPlace>();
    let from = await this.lastStartingAtOrBelow(organization, high);
    while (from !== undefined && from >= 0n) {
      const page = await this.back(organization, 20, from);
      for (const { seal } of page) for (const [id, place] of placesOf(seal)) places.set(id, place);
      const oldest = page.at(-1);
      if (!oldest || oldest.seal.from <= low) break;
      from = oldest.revision - 1n;
    }
    return places;
  }

  /**
   * Appends the next seal. False when another sealer was faster: that is the fence, nothing was written.
   * @throws LogUnavailable when the outcome is unknown; the newest seal has to be read before the next try
   */
  async append(seal: Seal, after: bigint | undefined): Promise<boolean> {
    const event = jsonEvent({ id: randomUUID(), type: SEAL_TYPE, data: { ...seal } });
    try {
      const expectedRevision = after ?? NO_STREAM;
      await this.connection.withTimeout(
        this.connection.client.appendToStream(streamOf(seal.organization), event, { expectedRevision }),
      );
      return true;
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return false;
      throw unavailable(error);
    }
  }

  /** The newest seal of all organizations, by the category stream of our own streams. */
  async latest(): Promise<Seal | undefined> {
    const page = await this.connection.readStream(`$ce-${INTERNAL_ORGANIZATION}`, {
      direction: 'backwards',
      maxCount: 10,
      resolveLinks: true,
    });
    return page.map(toSeal).find((stored) => stored !== undefined)?.seal;
  }

  private async back(organization: string, maxCount: number, from?: bigint): Promise<StoredSeal[]> {
    const page = await this.connection.readStream(streamOf(organization), {
      direction: 'backwards',
      maxCount,
      ...(from === undefined ? {} : { from }),
    });
    return page.map(toSeal).filter((stored) => stored !== undefined);
  }

  /** By halving: a history of many seals is not read through to show an old page of it. */
  private async lastStartingAtOrBelow(organization: string, revision: number): Promise<bigint | undefined> {
    const newest = await this.newest(organization);
    if (!newest || newest.seal.from <= revision) return newest?.revision;
    let [low, high] = [-1n, newest.revision];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const [at] = await this.back(organization, 1, middle);
      if (at && at.seal.from <= revision) low = middle;
      else high = middle;
    }
    return low;
  }
}

function toSeal({ event }: ResolvedEvent): StoredSeal | undefined {
  if (event?.type !== SEAL_TYPE) return undefined;
  const written = event.data as unknown as Written; // as Seals.append or another client wrote it
  const signature = typeof written.signature === 'string' ? written.signature : '';
  return { seal: { ...written, signature }, revision: event.revision };
}

export function headOf({ from, places }: Pick<Seal, 'from' | 'places'>): ChainHead {
  const last = places.at(-1);
  if (!last) throw new Error('A seal covers at least one event.');
  return { revision: from + places.length - 1, hash: last[1] };
}

/** The places a seal proves, by event id. */
function placesOf({ from, previousHash, places }: Seal): Map<string, ChainPlace> {
  return new Map(
    places.map(([id, hash], at) => [
      id,
      { revision: from + at, hash, previousHash: places[at - 1]?.[1] ?? previousHash },
    ]),
  );
}
