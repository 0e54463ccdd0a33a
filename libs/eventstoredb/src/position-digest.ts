import { hash } from 'node:crypto';
import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import { BEGINNING, LogUnavailable, type Cursor } from '@ledgerline/platform/log/log-reader';
import { storeReplaced } from '@ledgerline/platform/event-store/event-store';
import type { Connection } from './connection';
import { cursorOf, isDecided } from './envelope';
import { toPosition } from './position';

/** Of `$all`, when the event that a position stands on is looked for. */
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

  /** Whether the event of a digest was found since the last connection was lost. */
  isConfirmed(digest: string): boolean {
    return this.confirmed.has(digest);
  }

  /** @throws EpochChanged unless the log has the event of the digest */
  async check(digest: string): Promise<void> {
    const { connections } = this;
    const [after = '', cursor = ''] = digest.split(' ', 2);
    const from = toPosition(cursor);
    const [found] = await this.connection
      .readAll({ direction: 'forwards', maxCount: 1, ...(from ? { from } : {}) })
      .catch((error: unknown) => {
        if (isNoPlace(error)) return [];
        throw error;
      });
    this.checkAgainst(found?.event, digest, after);
    if (connections === this.connections) this.confirmed.set(digest, true);
  }

  /** Whether the event that is at the place of a digest's event is that one. @throws EpochChanged */
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

/** A digest that a caller has for a position, if it is of that one. */
export const digestFor = (cursor: Cursor, digest: string | undefined): string | undefined =>
  cursor !== BEGINNING && digest?.startsWith(`${cursor} `) ? digest : undefined;

/** Whether a position is that of its event. */
export const isOnEvent = (cursor: Cursor, digest: string): boolean => digest.startsWith(`${cursor} ${cursor} `);

/** The parsed content has the order of the stored bytes, so that its text is the same at each reading. */
function anchorOf(event: StoredEvent): string {
  const { id, streamId, revision, type, data, metadata } = event;
  const content = JSON.stringify([streamId, String(revision), type, data, metadata]);
  return `${cursorOf(event)} ${id} ${hash('sha256', content, 'hex')}`;
}

/** The server refuses to read from within an event, which begins elsewhere in another log. */
const isNoPlace = (error: unknown): boolean =>
  error instanceof LogUnavailable && error.cause instanceof Error && /position/i.test(error.cause.message);
