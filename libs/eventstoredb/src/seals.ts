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
import { isTombstone, toLogUnavailable, type Connection } from './connection';
import { compareCursors, toPosition } from './position';
import { placesOf, SEAL_TYPE, sealedHeadOf, toSeal, type Seal, type StoredSeal, type StreamTail } from './seal';

type SealsPage = Pick<Parameters<Connection['readStream']>[1], 'direction' | 'maxCount' | 'from'>;

/** The number of seals that are read downwards at once. */
const PAGE = 20;

/** The seals of all organizations, one stream each; another one where that has a tombstone, as nothing can be appended to it. */
export class Seals {
  /** The number of streams of seals with a tombstone, by organization. */
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

  /** Returns whether the seals that count begin with the first place of the chain. */
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

  /** Returns whether the last event of a seal lies where the seal says. */
  async isInPlace({ cursor, places }: Seal): Promise<boolean> {
    const found = await this.connection.eventAt(toPosition(cursor));
    return found?.id === places.at(-1)?.[0];
  }

  /** Returns whether there is an event of an organization. */
  async hasHistory(organization: string): Promise<boolean> {
    const page = await this.connection.readStream(`$ce-${organization}`, { direction: 'backwards', maxCount: 1 });
    return page.length > 0;
  }

  /** Returns whether its history begins with this event, or shows none yet. */
  async isFirst(organization: string, id: string): Promise<boolean> {
    const page = { direction: 'forwards', maxCount: 1, resolveLinks: true } as const;
    const [first] = await this.connection.readStream(`$ce-${organization}`, page);
    return !first || (first.link?.revision === 0n && first.event?.id === id);
  }

  /** The seals that count, the newest first. */
  async *down(organization: string, start?: bigint): AsyncGenerator<Seal, void> {
    let begin = 0;
    for (let from = start, maxCount = 1; (from ?? 0n) >= 0n; maxCount = PAGE) {
      const fromRevision = from === undefined ? {} : { from };
      const page = await this.read(organization, { direction: 'backwards', maxCount, ...fromRevision });
      for (const { seal, revision } of sealsIn(page)) {
        if (revision < BigInt(begin)) return;
        begin = seal.begin ?? 0;
        yield seal;
      }
      const oldest = page.at(-1)?.event;
      if (!oldest) return;
      from = oldest.revision - 1n;
    }
  }

  /** By event id, the sealed places of the events between two cursors, and perhaps more. */
  async places(organization: string, low: Cursor, high: Cursor): Promise<Map<string, ChainPlace>> {
    const places = new Map<string, ChainPlace>();
    const last = await this.lastBelow(organization, high);
    if (last === undefined) return places;
    for await (const seal of this.down(organization, last + 1n)) {
      if (compareCursors(seal.cursor, low) < 0) return places;
      for (const [id, place] of placesOf(seal)) places.set(id, place);
    }
    return places;
  }

  /** The seals that count, the newest first, from the one on that can have events before a cursor. */
  async *back(organization: string, before?: Cursor): AsyncGenerator<Seal, void> {
    const last = before === undefined ? undefined : await this.lastBelow(organization, before);
    yield* this.down(organization, last === undefined ? undefined : last + 1n);
  }

  /**
   * Takes away what hides seals or will, so that a stream that is not empty is not taken for one. What hid them comes
   * back, and does not count, as the next seal begins anew.
   */
  async uncover(organization: string): Promise<void> {
    await this.tail(organization); // passes over tombstones
    const stream = this.sealStream(organization);
    try {
      const { client } = this.connection;
      const { metadata } = await this.connection.withTimeout(client.getStreamMetadata(stream));
      if (!metadata || !LIMITS.some((name) => metadata[name] !== undefined)) return;
      const others = Object.entries(metadata).filter(([name]) => !LIMITS.includes(name));
      await this.connection.withTimeout(client.setStreamMetadata(stream, Object.fromEntries(others)));
    } catch (error) {
      throw toLogUnavailable(error);
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
      throw toLogUnavailable(error);
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

  /** The last seal whose places all lie before a cursor, by halving: a long history is not read to show an old page of it. */
  private async lastBelow(organization: string, cursor: Cursor): Promise<bigint | undefined> {
    const newest = await this.newest(organization);
    if (!newest) return undefined;
    let low = BigInt(newest.seal.begin ?? 0) - 1n;
    let high = newest.revision;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const [at] = await this.newestUpTo(organization, 1, middle);
      if (!at || compareCursors(at.seal.cursor, cursor) < 0) low = middle; // none = it was deleted
      else high = middle;
    }
    return low;
  }
}

/** The members of the metadata of a stream that limit it. */
const LIMITS: readonly string[] = ['truncateBefore', 'maxCount', 'maxAge'];

const sealsIn = (page: readonly ResolvedEvent[]): StoredSeal[] =>
  page.map(toSeal).filter((stored) => stored !== undefined);
