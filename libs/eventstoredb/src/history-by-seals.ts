import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import {
  type ChainPlace,
  type HistoryEntry,
  type HistoryPage,
  streamOrganization,
} from '@ledgerline/platform/event-store/event-store';
import type { SealingState } from '@ledgerline/platform/event-store/sealing-progress';
import { BEGINNING, type Cursor, HistoryUnavailable } from '@ledgerline/platform/log/log-reader';
import { sentenceOf } from './category-projection';
import { type Connection, isNoPosition } from './connection';
import { storedEventCursor, isDecided, storedToRecordedEvent } from './envelope';
import { compareCursors, toPosition } from './position';
import { doubtIn } from './position-digest';
import { placesOf } from './seal';
import type { Seals } from './seals';

const PAGE = 1_000;
/** For so long a page of history is looked for, and waits for others, ms. */
const GIVE_UP_MS = 30_000;

/**
 * Histories while the server does not fill its category streams: the seals name the events, and `$all` is read backwards
 * for them from each seal's cursor. One page at a time is looked for in a process.
 */
export class HistoryBySeals {
  private looking: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    private readonly seals: Seals,
    private readonly now = () => performance.now(),
  ) {}

  /** One page, newest first. @throws HistoryUnavailable when it takes longer than half a minute */
  read(page: HistoryPage, state: string, progress: SealingState | undefined): Promise<HistoryEntry[]> {
    const until = this.now() + GIVE_UP_MS;
    const giveUp = () => {
      if (this.now() < until) return;
      throw new HistoryUnavailable(`${sentenceOf(state)}, and its log takes longer than 30 s to read without that.`);
    };
    const read = this.looking.then(() => this.find(page, new BackwardReader(this.connection, giveUp), progress));
    this.looking = read.catch(() => undefined);
    return read;
  }

  private async find(
    { organization, before, limit }: HistoryPage,
    log: BackwardReader,
    progress: SealingState | undefined,
  ): Promise<HistoryEntry[]> {
    const entries: HistoryEntry[] = [];
    if (before !== undefined && !toPosition(before)) return entries;
    for await (const { from, down, places } of this.ranges(organization, before)) {
      const missing = new Set(places.keys());
      for await (const event of log.events(from, down)) {
        if (before !== undefined && compareCursors(storedEventCursor(event), before) >= 0) continue;
        missing.delete(event.id);
        if (isDecided(event) && streamOrganization(event.streamId) === organization) {
          const chain = places.get(event.id) ?? null;
          entries.push({ ...storedToRecordedEvent(event), chain, ...doubtIn(event, chain, progress) });
        }
        if (entries.length === limit) return entries;
        if (places.size > 0 && missing.size === 0) break;
      }
    }
    return entries;
  }

  /** Yields what is not sealed, then each seal, as far as it lies before a cursor; each down to the seal before it. */
  private async *ranges(organization: string, before: Cursor | undefined): AsyncGenerator<Range, void> {
    const from = (cursor: Cursor) => (before !== undefined && compareCursors(before, cursor) < 0 ? before : cursor);
    let range: Range = { from: before, places: new Map(), down: BEGINNING };
    for await (const seal of this.seals.back(organization, before)) {
      yield { ...range, down: seal.cursor };
      range = { from: from(seal.cursor), places: placesOf(seal), down: BEGINNING };
    }
    yield range;
  }
}

interface Range {
  /** Undefined = the head. */
  readonly from: Cursor | undefined;
  /** Reading ends above it, also where places were not found. */
  readonly down: Cursor;
  /** By event id. */
  readonly places: ReadonlyMap<string, ChainPlace>;
}

/** Reads `$all` backwards from several cursors, each lower than the one before, and keeps its newest page. */
class BackwardReader {
  private page: readonly StoredEvent[] = [];
  private isOver = false;

  constructor(
    private readonly connection: Connection,
    private readonly beforePage: () => void,
  ) {}

  /** At and below a cursor, and above another one. */
  async *events(from: Cursor | undefined, down: Cursor): AsyncGenerator<StoredEvent, void> {
    if (!this.holds(from)) await this.jump(from);
    for (;;) {
      for (const event of this.page) {
        const cursor = storedEventCursor(event);
        if (compareCursors(cursor, down) <= 0) return;
        if (from === undefined || compareCursors(cursor, from) <= 0) yield event;
      }
      const lowest = this.page.at(-1);
      if (!lowest || this.isOver) return;
      this.page = await this.below(lowest.position);
    }
  }

  private holds(cursor: Cursor | undefined): boolean {
    const first = this.page[0];
    const last = this.page.at(-1);
    if (!first || !last || cursor === undefined) return false;
    return compareCursors(storedEventCursor(first), cursor) >= 0 && compareCursors(cursor, storedEventCursor(last)) > 0;
  }

  /** TRICKY: forwards, a read of `$all` begins with the event at its position; backwards, with the one before. */
  private async jump(to: Cursor | undefined): Promise<void> {
    const position = to === undefined ? undefined : toPosition(to);
    const first = position && (await this.connection.eventAt(position));
    const below = await this.below(position);
    this.page = first ? [first, ...below] : below;
  }

  /** Nothing where the position is none in this log, as a seal that was changed may name any. */
  private async below(from: Position | undefined): Promise<readonly StoredEvent[]> {
    this.beforePage();
    const read = this.connection.readAll({ direction: 'backwards', maxCount: PAGE, ...(from ? { from } : {}) });
    const page = await read.catch((error: unknown) => {
      if (isNoPosition(error)) return [];
      throw error;
    });
    this.isOver = page.length < PAGE;
    return page.flatMap(({ event }) => event ?? []);
  }
}
