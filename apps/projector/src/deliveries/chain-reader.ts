import { LRUCache } from 'lru-cache';
import { isConsistent } from '@ledgerline/platform/event-store/appended-events';
import {
  type ChainPlace,
  type EventStore,
  type Hash,
  type HistoryEntry,
  historyPages,
  streamOrganization,
} from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type Cursor, isReplaced } from '@ledgerline/platform/log/log-reader';

/** An entry with its place in the chain. */
export type ChainEntry = HistoryEntry & { readonly chain: ChainPlace };

const PAGE = 500;
const NEWEST = 25;
const MAX_ORGANIZATIONS = 1_000;

/** Below a cursor all places are lower than this one. */
interface Stop {
  readonly revision: number;
  readonly cursor: Cursor;
}

/**
 * Reads the chain of an organization forwards, of which the store has pages backwards: cursors that were passed on the way
 * to the oldest wanted place are kept, so that a long history is walked once.
 */
export class ChainReader {
  private readonly stops = new LRUCache<string, readonly Stop[]>({ max: MAX_ORGANIZATIONS });

  constructor(private readonly store: Pick<EventStore, 'readBack'>) {}

  /** The entries from a place on, at most so many, in order; what has no place yet is not among them. @throws LogUnavailable */
  async read(organization: string, from: number, max: number): Promise<readonly ChainEntry[]> {
    const known = this.stops.get(organization) ?? [];
    const start = known.findLast(({ revision }) => revision >= from + max);
    const stops = known.slice(0, start ? known.indexOf(start) + 1 : 0);
    const found: ChainEntry[] = [];
    for await (const page of this.pages(organization, start?.cursor)) {
      const placed = page.filter((entry): entry is ChainEntry => entry.chain !== null);
      found.push(...placed.filter(({ chain }) => chain.revision >= from && chain.revision < from + max));
      const lowest = placed.at(-1);
      if (!lowest) continue;
      if (lowest.chain.revision <= from) break;
      stops.push({ revision: lowest.chain.revision, cursor: lowest.cursor });
    }
    this.stops.set(organization, stops);
    return found.reverse();
  }

  /** The first page from the head is a short one: mostly it has all that is new. */
  private async *pages(organization: string, start: Cursor | undefined) {
    const newest = start === undefined ? await this.store.readBack({ organization, limit: NEWEST }) : [];
    yield newest;
    if (start === undefined && newest.length < NEWEST) return;
    yield* historyPages(this.store, organization, PAGE, start ?? newest.at(-1)?.cursor);
  }
}

/** The entries up to the first that does not follow on the one before it; `hash` is that of the place before, where it is known. */
export function unbrokenOf(entries: readonly ChainEntry[], from: number, hash: Hash | null): readonly ChainEntry[] {
  let previous = hash;
  const broken = entries.findIndex((entry, at) => {
    const { chain, doubt } = entry;
    const follows = chain.revision === from + at && (previous === null || chain.previousHash === previous);
    previous = chain.hash;
    return !follows || doubt !== undefined || !isConsistent(entry);
  });
  return broken < 0 ? entries : entries.slice(0, broken);
}

/** How long after an event its organization is looked at again and again: on EventStoreDB its place comes later, ms. */
const LOOKED_AT_MS = 10_000;
/** Every organization is, whatever happens, ms. */
const ALL_EVERY_MS = 60_000;
const BATCH = 1_000;

interface Known {
  readonly revision: number;
  readonly at: number;
}

/** The newest places of chains, read again where the store has new events. */
export class ChainHeads {
  /** Up to which events were looked at. */
  cursor: Cursor = BEGINNING;
  private isBegun = false;
  private readonly known = new Map<string, Known>();
  /** Since when (ms) organizations have new events, which are forgotten after a while. */
  private readonly moved = new Map<string, number>();

  constructor(private readonly store: Pick<EventStore, 'chainHead' | 'head' | 'read'>) {}

  /** Of these organizations; -1 = there is none yet. @throws LogUnavailable, EpochChanged */
  async of(organizations: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.follow();
    const now = performance.now();
    const heads = new Map<string, number>();
    for (const organization of organizations) {
      const known = this.known.get(organization);
      const isMoving = this.moved.has(organization);
      const fresh = known && !isMoving && now - known.at < ALL_EVERY_MS ? known : await this.look(organization, now);
      heads.set(organization, fresh.revision);
    }
    for (const organization of this.known.keys()) if (!heads.has(organization)) this.known.delete(organization);
    return heads;
  }

  private async look(organization: string, at: number): Promise<Known> {
    const head = await this.store.chainHead(organization);
    const known = { revision: head?.revision ?? -1, at };
    this.known.set(organization, known);
    return known;
  }

  private async follow(): Promise<void> {
    if (!this.isBegun) {
      this.cursor = await this.store.head(0);
      this.isBegun = true;
    }
    try {
      for (;;) {
        const { events, next, atHead } = await this.store.read(0, this.cursor, { max: BATCH });
        const now = performance.now();
        for (const { stream } of events) this.moved.set(streamOrganization(stream), now);
        for (const [organization, at] of this.moved) if (now - at >= LOOKED_AT_MS) this.moved.delete(organization);
        this.cursor = next;
        if (atHead) return;
      }
    } catch (error) {
      if (isReplaced(error)) {
        this.isBegun = false;
        this.known.clear();
      }
      throw error;
    }
  }
}
