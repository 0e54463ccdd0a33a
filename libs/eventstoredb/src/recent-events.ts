import {
  type AllStreamSubscription,
  END,
  type Filter,
  type Position,
  type RecordedEvent as StoredEvent,
  TimeoutError,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import { INTERNAL_ORGANIZATION } from '@ledgerline/platform/event-store/event-store';
import type { ChangeNotifications } from '@ledgerline/platform/log/log-change-listener';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { Backoff } from '@ledgerline/platform/log/timing';
import type { Connection } from './connection';
import { comparePositions, positionToCursor, toPosition } from './position';

interface SubscriptionObserver {
  /** The types of events to bring, all when undefined; asked for when a subscription begins. */
  types(): readonly string[] | undefined;
  onEvent(event: StoredEvent): void;
  /** Every event up to here has been brought, though the newest ones were of other types. */
  onPassed(position: Position): void;
  /** The subscription ended: events may be missed from now on. */
  onEnd(): void;
}

/** In steps of 32 events of `$all`: seldom enough for the server's buffer, and often enough for readers to be near the head. */
const CHECKPOINT_INTERVAL = 8;

/**
 * A live subscription at the head of `$all`, without a gap until it ends. The driver does not renew a subscription that
 * ended, so this does.
 */
class ChangeSubscription {
  /** True if new events arrive. */
  isLive = false;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private current: AllStreamSubscription | undefined;
  private endCurrent: () => void = () => undefined;
  /** The position of the newest event since the last gap. */
  private last: Position | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly observer: SubscriptionObserver,
  ) {}

  /** Begins another subscription, with the present types; what the former one brought does not count any more. */
  restart(): void {
    this.isLive = false;
    this.current?.unsubscribe().catch(() => undefined);
    this.endCurrent();
  }

  begin(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.endCurrent();
    await this.current?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  /** TRICKY: the server ends a subscription with more than 32 events in its buffer; what it then lacks is caught up. */
  private async run(): Promise<void> {
    const { signal } = this.closing;
    const backoff = new Backoff(signal);
    while (!signal.aborted) {
      const from = this.last;
      const error = await this.untilEnd();
      if (this.isLive) backoff.reset();
      if (error instanceof TimeoutError && this.last !== from) continue;
      this.isLive = false;
      this.last = undefined;
      this.observer.onEnd();
      await backoff.pause();
    }
  }

  /** Resolves when the subscription ends, with the error if there was one. */
  private untilEnd(): Promise<unknown> {
    return new Promise((resolve) => {
      let isOver = false;
      const end = (error?: unknown) => {
        isOver = true;
        resolve(error);
      };
      const filter = this.filter((position) => {
        if (isOver) return;
        this.last = position;
        this.observer.onPassed(position);
      });
      this.current = this.connection.client.subscribeToAll({ fromPosition: this.last ?? END, filter });
      this.current.on('confirmation', () => (this.isLive ||= !isOver));
      this.current.on('data', ({ event }) => {
        if (!event?.position || isOver) return;
        this.last = event.position;
        this.observer.onEvent(event);
      });
      for (const ending of ['error', 'end', 'close'] as const) this.current.on(ending, end);
      this.endCurrent = end;
    });
  }

  /** Decided events, and what deletes or hides some: no links of projections, no statistics, no seals. Where it leaves events out, the server sends checkpoints. */
  private filter(onPassed: (position: Position) => void): Filter {
    const types = this.observer.types();
    const checkpoints = {
      checkpointInterval: CHECKPOINT_INTERVAL,
      // TRICKY: the driver calls this before it emits events that came earlier and are still in its buffer
      checkpointReached: ({ readableLength }: AllStreamSubscription, position: Position) => {
        if (readableLength === 0) onPassed(position);
      },
    };
    if (types) return eventTypeFilter({ regex: `^(?:${types.join('|')})$`, ...checkpoints });
    return streamNameFilter({ regex: String.raw`^(?:\$\$|(?!\$|${INTERNAL_ORGANIZATION}-))`, ...checkpoints });
  }
}

/** Readers at the head are behind it by a fraction of a second. */
const MAX_KEPT = 1_000;
/** An event that has not arrived by then is read from its stream instead, ms. */
const PATIENCE_MS = 200;

type PlacedEvent = StoredEvent & { readonly position: Position };

/** The events after a cursor. */
interface Recent {
  readonly events: readonly StoredEvent[];
  /** Up to here there are no others. */
  readonly end: Position;
}

/**
 * The newest decided events, as the one live subscription of this process brings them: readers at the head and appends
 * find them here without a request. It brings the types that readers wait for. What it has not brought, or not yet, has
 * to be read.
 */
export class RecentEvents implements ChangeNotifications {
  private readonly subscription: ChangeSubscription;
  /** In order, without a gap. */
  private kept: PlacedEvent[] = [];
  /** Every event of the wanted types after this position that has arrived is kept; undefined before the first one. */
  private start: Position | undefined;
  /** The position up to which events were brought. */
  private end: Position | undefined;
  private endBefore: Position | undefined;
  /** Undefined = all. */
  private types: ReadonlySet<string> | undefined = new Set();
  private readonly waiting = new Map<Cursor, (event: StoredEvent) => void>();
  private onChange: () => void = () => undefined;

  /** `onGap` is called when the subscription ends: the server may come back with another log. */
  constructor(connection: Connection, onGap: () => void = () => undefined) {
    this.subscription = new ChangeSubscription(connection, {
      types: () => this.types && [...this.types],
      onEvent: (event) => this.add(event),
      onPassed: (position) => this.pass(position),
      onEnd: () => {
        onGap();
        this.forget();
        this.onChange(); // readers look whether the log is still theirs
      },
    });
  }

  /** These types are brought from now on, too; all when undefined. */
  include(types: readonly string[] | undefined): void {
    if (this.brings(types)) return;
    this.types = types && this.types && new Set([...this.types, ...types]);
    this.forget();
    this.subscription.restart();
  }

  /**
   * Returns what was brought after a cursor, of these types and others; undefined for nothing, or where earlier events
   * may be missing.
   */
  after(cursor: Cursor, types?: readonly string[]): Recent | undefined {
    const { end } = this;
    const position = toPosition(cursor);
    if (!position || !end || !this.brings(types) || !this.covers(cursor)) return undefined;
    if (comparePositions(end, position) <= 0) return undefined;
    return { events: this.kept.slice(this.indexAfter(position)), end };
  }

  /** Returns whether something was brought since the last call. */
  hasAdvanced(): boolean {
    const before = this.endBefore;
    this.endBefore = this.end;
    return this.end !== before && this.end !== undefined;
  }

  /** Returns whether everything after a cursor is announced. */
  covers(cursor: Cursor): boolean {
    const position = cursor === BEGINNING ? undefined : toPosition(cursor);
    return position !== undefined && this.start !== undefined && comparePositions(position, this.start) >= 0;
  }

  mayHaveAfter(cursor: Cursor): boolean {
    const position = toPosition(cursor);
    return !position || !this.end || !this.covers(cursor) || comparePositions(this.end, position) > 0;
  }

  /** The event of any type at a position that the server has acknowledged; undefined when it does not arrive soon. */
  async at(position: Position): Promise<StoredEvent | undefined> {
    this.include(undefined);
    this.subscription.begin();
    const last = this.kept[this.indexAfter(position) - 1];
    if (last && comparePositions(last.position, position) === 0) return last;
    if (!this.subscription.isLive) return undefined;
    return new Promise((resolve) => {
      const cursor = positionToCursor(position);
      const found = (event?: StoredEvent) => {
        clearTimeout(overdue);
        this.waiting.delete(cursor);
        resolve(event);
      };
      const overdue = setTimeout(found, PATIENCE_MS);
      this.waiting.set(cursor, found);
    });
  }

  subscribe(onChange: () => void): void {
    this.onChange = onChange;
    this.subscription.begin();
  }

  close(): Promise<void> {
    return this.subscription.close();
  }

  private add({ position, ...event }: StoredEvent): void {
    if (!position) return;
    const placed = { ...event, position };
    this.kept.push(placed);
    this.waiting.get(positionToCursor(position))?.(placed);
    this.pass(position);
    if (this.kept.length > 2 * MAX_KEPT) this.start = this.kept.splice(0, MAX_KEPT).at(-1)?.position;
  }

  private pass(position: Position): void {
    this.start ??= position;
    this.end = position;
    this.onChange();
  }

  private forget(): void {
    this.kept = [];
    this.start = undefined;
    this.end = undefined;
  }

  private brings(types: readonly string[] | undefined): boolean {
    const { types: brought } = this;
    return !brought || (types?.every((type) => brought.has(type)) ?? false);
  }

  /** Returns the index of the first event after a position, by halving. */
  private indexAfter(position: Position | undefined): number {
    let low = 0;
    let high = this.kept.length;
    while (position && low < high) {
      const middle = (low + high) >> 1;
      const event = this.kept[middle];
      if (event && comparePositions(event.position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
