import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { ChangeNotifications } from '@ledgerline/platform/log/log-change-listener';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { ChangeSubscription } from './change-subscription';
import type { Connection } from './connection';
import { comparePositions, toCursor, toPosition } from './position';

/** Readers at the head are behind it by a fraction of a second. */
const MAX_KEPT = 1_000;
/** An event that has not arrived by then is read from its stream instead, ms. */
const PATIENCE_MS = 200;

type PlacedEvent = StoredEvent & { readonly position: Position };

/** What is after a cursor. */
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
  /** What was brought reaches up to here. */
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

  /** What was brought after a cursor, of these types and others; undefined for nothing, or where earlier events may be missing. */
  after(cursor: Cursor, types?: readonly string[]): Recent | undefined {
    const { end } = this;
    const position = toPosition(cursor);
    if (!position || !end || !this.brings(types) || !this.covers(cursor)) return undefined;
    if (comparePositions(end, position) <= 0) return undefined;
    return { events: this.kept.slice(this.indexAfter(position)), end };
  }

  /** Whether something was brought since the last call. */
  hasAdvanced(): boolean {
    const before = this.endBefore;
    this.endBefore = this.end;
    return this.end !== before && this.end !== undefined;
  }

  /** Whether everything after a cursor is announced. */
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
      const cursor = toCursor(position);
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
    this.waiting.get(toCursor(position))?.(placed);
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

  /** Of the first event after a position, by halving. */
  private indexAfter(position: Position | undefined): number {
    let [low, high] = [0, this.kept.length];
    while (position && low < high) {
      const middle = (low + high) >> 1;
      const event = this.kept[middle];
      if (event && comparePositions(event.position, position) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
