import { hash } from 'node:crypto';
import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import {
  type ChainPlace,
  type HistoryEntry,
  type HistoryPage,
  type RecordedEvent,
  storeReplaced,
} from '@ledgerline/platform/event-store/event-store';
import type { SealingState } from '@ledgerline/platform/event-store/sealing-progress';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Connection } from './connection';
import { storedEventCursor, isDecided, isForeign, storedToRecordedEvent } from './envelope';
import { compareCursors, numberInHistory, toHistoryCursor, toPosition } from './position';
import type { Seals } from './seals';

/** The events of `$all` that are read when the event that a position stands on is looked for. */
const LOOKED_BACK = 4_096;

/** Readers of this process, with the positions between which each moves. */
const MAX_CONFIRMED = 1_000;

/**
 * Digests of positions: a position stands on the newest decided event at or before it, which the digest names with its
 * own position and the hash of its content. `$all` has positions without a decided event: links, seals, checkpoints of a filter.
 */
export class PositionDigests {
  /** Found in the log; until a connection or the subscription breaks, as the server may come back with another log. */
  private readonly confirmed = new LRUCache<string, true>({ max: MAX_CONFIRMED });
  private connections = 0;

  constructor(private readonly connection: Connection) {}

  /** To be called when a connection was lost. */
  forget(): void {
    this.confirmed.clear();
    this.connections += 1;
  }

  /** To be asked before events are read that {@link of} is given. */
  get connectionNumber(): number {
    return this.connections;
  }

  /**
   * The digest of a position behind events that were read from `after` on; `digest` is that of `after`. `readOn` is the
   * connection that they were read on.
   */
  async of(
    next: Cursor,
    events: readonly StoredEvent[],
    { digest, readOn }: { readonly digest: string | undefined; readonly readOn: number },
  ): Promise<string | undefined> {
    const newest = events.findLast(isDecided) ?? (digest === undefined ? await this.newestUpTo(next) : undefined);
    const anchor = newest ? anchorOf(newest) : digest?.slice(digest.indexOf(' ') + 1);
    if (anchor === undefined) return undefined;
    const made = `${next} ${anchor}`;
    if (readOn === this.connections) this.confirmed.set(made, true);
    return made;
  }

  /** Returns whether the event of a digest was found since the last connection was lost. */
  isConfirmed(digest: string): boolean {
    return this.confirmed.has(digest);
  }

  /** @throws EpochChanged unless the log has the event of the digest */
  async check(digest: string): Promise<void> {
    const { connections } = this;
    const [after = '', cursor = ''] = digest.split(' ', 2);
    this.checkAgainst(await this.connection.eventAt(toPosition(cursor)), digest, after);
    if (connections === this.connections) this.confirmed.set(digest, true);
  }

  /** Checks that the event at the place of a digest's event is that one. @throws EpochChanged */
  checkAgainst(event: StoredEvent | undefined, digest: string, after: Cursor): void {
    if (!event || digest !== `${after} ${anchorOf(event)}`) throw storeReplaced(after);
  }

  private async newestUpTo(cursor: Cursor): Promise<StoredEvent | undefined> {
    const from = toPosition(cursor);
    if (!from) return undefined;
    const page = await this.connection.readAll({ direction: 'backwards', maxCount: LOOKED_BACK, from });
    return page.map(({ event }) => event).find((event) => event !== undefined && isDecided(event));
  }
}

/** Returns whether a position is that of its event. */
export const isOnEvent = (cursor: Cursor, digest: string): boolean => digest.startsWith(`${cursor} ${cursor} `);

/** The parsed content has the order of the stored bytes, so that its text is the same at each reading. */
function anchorOf(event: StoredEvent): string {
  const { id, streamId, revision, type, data, metadata } = event;
  const content = JSON.stringify([streamId, String(revision), type, ...[data, metadata].map(withoutDepth)]);
  return `${storedEventCursor(event)} ${id} ${hash('sha256', content, 'hex')}`;
}

const MOST_LEVELS = 500;

/** TRICKY: another client's event may be nested so deeply that writing it as a text throws, which would stop every reader. */
function withoutDepth(content: unknown): unknown {
  let level: readonly unknown[] = [content];
  for (let depth = 0; depth < MOST_LEVELS; depth++) {
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
    if (level.length === 0) return content;
  }
  return 'nested too deeply';
}

/** An event, and as it is stored. */
type Shown = readonly [entry: RecordedEvent, stored: StoredEvent];

/** Longer than sealers are away while they are restarted or upgraded, ms. */
const SEALED_WITHIN_MS = 5 * 60_000;

/**
 * One page of `$ce-<organization>`, newest first, each event with the place its seal gives it.
 * A link whose event is gone is left out of the page; verification of the chain reports it.
 */
export async function readCategoryHistory(
  connection: Connection,
  seals: Seals,
  { organization, before, limit }: HistoryPage,
  progress: SealingState | undefined,
): Promise<HistoryEntry[]> {
  const entries: Shown[] = [];
  for (let start = startOf(before); entries.length < limit && start !== 0n;) {
    const page = await connection.readStream(`$ce-${organization}`, {
      direction: 'backwards',
      maxCount: limit,
      resolveLinks: true,
      ...(start === undefined ? {} : { from: start - 1n }),
    });
    for (const { event, link } of page) {
      if (!event?.position || !link) continue;
      const cursor = toHistoryCursor(event.position, Number(link.revision));
      if (before !== undefined && compareCursors(cursor, before) >= 0) continue;
      entries.push([{ ...storedToRecordedEvent(event), cursor }, event]);
    }
    start = page.at(-1)?.link?.revision ?? 0n;
  }
  return withPlaces(seals, organization, entries.slice(0, limit), progress);
}

async function withPlaces(
  seals: Seals,
  organization: string,
  page: readonly Shown[],
  progress: SealingState | undefined,
): Promise<HistoryEntry[]> {
  const cursors = page.map(([{ cursor }]) => cursor).sort(compareCursors);
  const low = cursors[0];
  const high = cursors.at(-1);
  if (low === undefined || high === undefined) return [];
  const places = await seals.places(organization, low, high);
  return page.map(([entry, stored]) => {
    const chain = places.get(entry.id) ?? null;
    return { ...entry, chain, ...doubtIn(stored, chain, progress) };
  });
}

/** By how far sealing was before the seals were read. */
export function doubtIn(
  stored: StoredEvent,
  chain: ChainPlace | null,
  progress: SealingState | undefined,
): Pick<HistoryEntry, 'doubt'> {
  if (!chain && isOverdue(stored, progress)) return { doubt: 'overdue' };
  return isForeign(stored) ? { doubt: 'foreign' } : {};
}

/**
 * Passed without a seal, or older than any sealer was seen. The age is by the clock of the server: the time of recording
 * is as the writer of the event says.
 */
function isOverdue(stored: StoredEvent, progress: SealingState | undefined): boolean {
  if (progress && compareCursors(storedEventCursor(stored), progress.passed) <= 0) return true;
  const isAway = progress === undefined || progress.silentMs > SEALED_WITHIN_MS;
  return isAway && Date.now() - stored.created.getTime() > SEALED_WITHIN_MS;
}

/** The events of an organization as its history shows them, the oldest first; one whose event is gone is left out. */
export async function* shownEvents(connection: Connection, organization: string) {
  for (let from = 0n, isOver = false; !isOver;) {
    const page = await connection.readStream(`$ce-${organization}`, {
      direction: 'forwards',
      maxCount: SHOWN_PAGE,
      resolveLinks: true,
      from,
    });
    yield page.flatMap(({ event }) => (event?.position ? [storedToRecordedEvent(event)] : []));
    from = (page.at(-1)?.link?.revision ?? 0n) + 1n;
    isOver = page.length < SHOWN_PAGE;
  }
}

const SHOWN_PAGE = 1_000;

/** The number from which on events are too new; undefined = none are, or it is unknown. */
function startOf(before: string | undefined): bigint | undefined {
  if (before === undefined) return undefined;
  if (!toPosition(before)) return 0n;
  const number = numberInHistory(before);
  return number === undefined ? undefined : BigInt(number);
}
