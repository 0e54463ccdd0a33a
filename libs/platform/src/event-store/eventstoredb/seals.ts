import { randomUUID } from 'node:crypto';
import {
  jsonEvent,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { LogUnavailable } from '../../log/log-reader';
import { INTERNAL_ORGANIZATION, type ChainPlace, type SealedHead } from '../event-store';
import { unavailable, type Connection } from './connection';
import { headOf, placesOf, SEAL_TYPE, toSeal, type Seal, type StoredSeal, type StreamTail } from './seal';

type SealsPage = Pick<Parameters<Connection['readStream']>[1], 'direction' | 'maxCount' | 'from'>;

/** The seals of all organizations, one stream each; another one where that has a tombstone, as nothing can be appended to it. */
export class Seals {
  /** How many streams of seals of an organization have one. */
  private readonly tombstones = new Map<string, number>();

  constructor(private readonly connection: Connection) {}

  async newest(organization: string): Promise<StoredSeal | undefined> {
    return (await this.back(organization, 1))[0];
  }

  async tail(organization: string): Promise<StreamTail | undefined> {
    const [newest] = await this.read(organization, { direction: 'backwards', maxCount: 1 });
    if (!newest?.event) return undefined;
    return toSeal(newest) ?? { revision: newest.event.revision };
  }

  /** Whether the seals that count begin with the first place of the chain. */
  async isWhole({ organization, begin = 0 }: Seal): Promise<boolean> {
    const [first] = await this.read(organization, { direction: 'forwards', maxCount: 1, from: BigInt(begin) });
    return first !== undefined && toSeal(first)?.seal.from === 0;
  }

  /** As far as it was found in earlier calls. */
  hasTombstone(organization: string): boolean {
    return this.tombstones.has(organization);
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
      for (const { seal } of page) {
        for (const [id, place] of placesOf(seal)) places.set(id, place);
        if (seal.from <= low) return places;
      }
      const oldest = page.at(-1);
      if (!oldest) break;
      from = oldest.revision - 1n;
    }
    return places;
  }

  /**
   * Appends the next seal; answers its revision. Undefined when another sealer was faster, or the stream has a tombstone:
   * nothing was written.
   * @throws LogUnavailable when the outcome is unknown; the newest seal has to be read before the next try
   */
  async append(seal: Seal, after: bigint | undefined): Promise<bigint | undefined> {
    const event = jsonEvent({ id: randomUUID(), type: SEAL_TYPE, data: { ...seal } });
    try {
      const { nextExpectedRevision } = await this.connection.withTimeout(
        this.connection.client.appendToStream(this.sealStream(seal.organization), event, {
          expectedRevision: after ?? NO_STREAM,
        }),
      );
      return nextExpectedRevision;
    } catch (error) {
      if (error instanceof WrongExpectedVersionError || error instanceof StreamDeletedError) return undefined;
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
    const page = await this.read(organization, {
      direction: 'backwards',
      maxCount,
      ...(from === undefined ? {} : { from }),
    });
    return page.map(toSeal).filter((stored) => stored !== undefined);
  }

  private async read(organization: string, page: SealsPage): Promise<ResolvedEvent[]> {
    for (;;) {
      const tombstones = this.tombstones.get(organization) ?? 0;
      try {
        return await this.connection.readStream(this.sealStream(organization), page);
      } catch (error) {
        if (!(error instanceof LogUnavailable && error.cause instanceof StreamDeletedError)) throw error;
        this.tombstones.set(organization, tombstones + 1);
      }
    }
  }

  private sealStream(organization: string): string {
    const tombstones = this.tombstones.get(organization) ?? 0;
    return `${INTERNAL_ORGANIZATION}-seals_${organization}${tombstones === 0 ? '' : `.${tombstones + 1}`}`;
  }

  /** By halving: a history of many seals is not read through to show an old page of it. */
  private async lastStartingAtOrBelow(organization: string, revision: number): Promise<bigint | undefined> {
    const newest = await this.newest(organization);
    if (!newest || newest.seal.from <= revision) return newest?.revision;
    let [low, high] = [BigInt(newest.seal.begin ?? 0) - 1n, newest.revision];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const [at] = await this.back(organization, 1, middle);
      if (!at || at.seal.from <= revision) low = middle; // none = it was deleted
      else high = middle;
    }
    return low;
  }
}
