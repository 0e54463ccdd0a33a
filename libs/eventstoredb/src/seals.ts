import { randomUUID } from 'node:crypto';
import {
  jsonEvent,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { INTERNAL_ORGANIZATION, type ChainPlace, type SealedHead } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { isTombstone, unavailable, type Connection } from './connection';
import { compareCursors, toPosition } from './position';
import { placesOf, SEAL_TYPE, sealedHeadOf, toSeal, type Seal, type StoredSeal, type StreamTail } from './seal';

type SealsPage = Pick<Parameters<Connection['readStream']>[1], 'direction' | 'maxCount' | 'from'>;

const MAX_LATEST = 500;
const MAX_BACK = 20;
/** A newest seal that lies further back is not looked for: the sealer then begins with the log. */
const LATEST_PAGES = 20;

/** The seals of all organizations, one stream each; another one where that has a tombstone, as nothing can be appended to it. */
export class Seals {
  /** How many streams of seals of an organization have one. */
  private readonly tombstones = new Map<string, number>();

  constructor(private readonly connection: Connection) {}

  async newest(organization: string): Promise<StoredSeal | undefined> {
    return (await this.newestUpTo(organization, 1))[0];
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
    return newest ? sealedHeadOf(newest.seal) : null;
  }

  /** Whether the last event of a seal lies where the seal says. */
  async isInPlace({ cursor, places }: Seal): Promise<boolean> {
    const found = await this.connection.eventAt(toPosition(cursor));
    return found?.id === places.at(-1)?.[0];
  }

  /** Whether there is an event of an organization. */
  async hasHistory(organization: string): Promise<boolean> {
    const page = await this.connection.readStream(`$ce-${organization}`, { direction: 'backwards', maxCount: 1 });
    return page.length > 0;
  }

  /** The sealed places of the chain's revisions from `low` to `high`, by event id. */
  async places(organization: string, low: number, high: number): Promise<Map<string, ChainPlace>> {
    const places = new Map<string, ChainPlace>();
    let from = await this.lastOf(organization, (seal) => seal.from <= high);
    while (from !== undefined && from >= 0n) {
      const page = await this.read(organization, { direction: 'backwards', maxCount: MAX_BACK, from });
      for (const { seal } of sealsIn(page)) {
        for (const [id, place] of placesOf(seal)) places.set(id, place);
        if (seal.from <= low) return places;
      }
      const oldest = page.at(-1)?.event;
      if (!oldest) break;
      from = oldest.revision - 1n;
    }
    return places;
  }

  /** The newest first, from the one on that can have events before a cursor. */
  async *back(organization: string, before?: Cursor): AsyncGenerator<Seal, void> {
    const isBefore = ({ cursor }: Seal) => before === undefined || compareCursors(cursor, before) < 0;
    let from = await this.lastOf(organization, isBefore);
    if (from !== undefined && before !== undefined) from += 1n; // begins before it, too
    while (from !== undefined && from >= 0n) {
      const page = await this.read(organization, { direction: 'backwards', maxCount: MAX_BACK, from });
      for (const { seal } of sealsIn(page)) {
        yield seal;
        if (seal.from === 0) return;
      }
      const oldest = page.at(-1)?.event;
      if (!oldest) return;
      from = oldest.revision - 1n;
    }
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

  /** The newest seals of all organizations, the newest first, by the category stream of our own streams. */
  async *latest(): AsyncGenerator<Seal, void> {
    let from: bigint | undefined;
    for (let page = 0; page < LATEST_PAGES && (from ?? 0n) >= 0n; page += 1) {
      const links = await this.internalStreams(from);
      yield* sealsIn(links).map(({ seal }) => seal);
      const oldest = links.at(-1)?.link;
      if (!oldest) return;
      from = oldest.revision - 1n;
    }
  }

  /** Empty where their category stream has a tombstone, too. */
  private async internalStreams(from: bigint | undefined): Promise<ResolvedEvent[]> {
    const page = { direction: 'backwards', maxCount: MAX_LATEST, resolveLinks: true } as const;
    try {
      return await this.connection.readStream(`$ce-${INTERNAL_ORGANIZATION}`, {
        ...page,
        ...(from === undefined ? {} : { from }),
      });
    } catch (error) {
      if (isTombstone(error)) return [];
      throw error;
    }
  }

  private async newestUpTo(organization: string, maxCount: number, from?: bigint): Promise<StoredSeal[]> {
    const page = await this.read(organization, {
      direction: 'backwards',
      maxCount,
      ...(from === undefined ? {} : { from }),
    });
    return sealsIn(page);
  }

  private async read(organization: string, page: SealsPage): Promise<ResolvedEvent[]> {
    for (;;) {
      const tombstones = this.tombstones.get(organization) ?? 0;
      try {
        return await this.connection.readStream(this.sealStream(organization), page);
      } catch (error) {
        if (!isTombstone(error)) throw error;
        this.tombstones.set(organization, tombstones + 1);
      }
    }
  }

  private sealStream(organization: string): string {
    const tombstones = this.tombstones.get(organization) ?? 0;
    return `${INTERNAL_ORGANIZATION}-seals_${organization}${tombstones === 0 ? '' : `.${tombstones + 1}`}`;
  }

  /** By halving, for what is so of all seals up to one: a history of many seals is not read through to show an old page of it. */
  private async lastOf(organization: string, isSo: (seal: Seal) => boolean): Promise<bigint | undefined> {
    const newest = await this.newest(organization);
    if (!newest || isSo(newest.seal)) return newest?.revision;
    let [low, high] = [BigInt(newest.seal.begin ?? 0) - 1n, newest.revision];
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const [at] = await this.newestUpTo(organization, 1, middle);
      if (!at || isSo(at.seal)) low = middle; // none = it was deleted
      else high = middle;
    }
    return low;
  }
}

const sealsIn = (page: readonly ResolvedEvent[]): StoredSeal[] =>
  page.map(toSeal).filter((stored) => stored !== undefined);
