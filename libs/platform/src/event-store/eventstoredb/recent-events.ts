import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import type { ChangeNotifications } from '../../log/log-change-listener';
import { BEGINNING, type Cursor } from '../../log/log-reader';
import { ChangeSubscription } from './change-subscription';
import type { Connection } from './connection';
import { comparePositions, toCursor, toPosition } from './position';

/** Readers at the head are behind it by a fraction of a second. */
const MAX_KEPT = 1_000;
/** An event that has not arrived by then is read from its stream instead, ms. */
const PATIENCE_MS = 200;

type PlacedEvent = StoredEvent & { readonly position: Position };

/**
 * The newest decided events, as the one live subscription of this process brings them: readers at the head and appends
 * find them here without a request. What the subscription has not brought, or not yet, has to be read.
 */
export class RecentEvents implements ChangeNotifications {
  private readonly subscription: ChangeSubscription;
  /** In order, without a gap. */
  private kept: PlacedEvent[] = [];
  /** Every decided event after this position that has arrived is kept; undefined before the first one. */
  private start: Position | undefined;
  private readonly waiting = new Map<Cursor, (event: StoredEvent) => void>();
  private onChange: () => void = () => undefined;

  constructor(connection: Connection) {
    this.subscription = new ChangeSubscription(connection, {
      onEvent: (event) => this.add(event),
      onEnd: () => this.forget(),
    });
  }

  /** All that have arrived after a cursor; undefined where there are none, or where earlier ones may be missing. */
  after(cursor: Cursor): readonly StoredEvent[] | undefined {
    if (!this.covers(cursor)) return undefined;
    const events = this.kept.slice(this.indexAfter(toPosition(cursor)));
    return events.length > 0 ? events : undefined;
  }

  /** Whether everything after a cursor is announced. */
  covers(cursor: Cursor): boolean {
    const position = cursor === BEGINNING ? undefined : toPosition(cursor);
    return position !== undefined && this.start !== undefined && comparePositions(position, this.start) >= 0;
  }

  mayHaveAfter(cursor: Cursor): boolean {
    const [position, newest] = [toPosition(cursor), this.kept.at(-1)?.position];
    return !position || !newest || !this.covers(cursor) || comparePositions(newest, position) > 0;
  }

  /** The event at a position that the server has acknowledged; undefined when it does not arrive soon. */
  async at(position: Position): Promise<StoredEvent | undefined> {
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
    this.start ??= position;
    this.kept.push(placed);
    if (this.kept.length > 2 * MAX_KEPT) this.start = this.kept.splice(0, MAX_KEPT).at(-1)?.position;
    this.waiting.get(toCursor(position))?.(placed);
    this.onChange();
  }

  private forget(): void {
    this.kept = [];
    this.start = undefined;
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
