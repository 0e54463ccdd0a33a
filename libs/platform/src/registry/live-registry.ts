import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { decidedIn } from '../event-store/decided';
import type { EventStore, RecordedEvent } from '../event-store/event-store';
import { Batcher } from '../log/batcher';
import { LogFollower } from '../log/log-follower';
import { BEGINNING, EpochChanged, LogUnavailable, type Cursor } from '../log/log-reader';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import type { StoredRegistry } from './stored-registry';

/** State in memory that is folded from events. */
export interface EventFold {
  /** The types that change it; events of types that no fold names are not read. */
  readonly types: readonly string[];
  /** Begins with what the read models hold; without that call, `apply` gets the events from the first on. */
  load?(stored: StoredRegistry): void;
  apply(event: Recorded, cursor: Cursor): void;
}

const CATCH_UP_MS = 2_000;
/** Many links created in a row are read a few dozen times a second, not hundreds of times. */
const PACE_MS = 25;

/**
 * Keeps the registry of this process up to date: begins with what the read models hold, if there are any, and follows
 * the event store from there, in its order.
 */
export class LiveRegistry implements OnApplicationBootstrap {
  private readonly follower: LogFollower<RecordedEvent>;
  private readonly stopping = new AbortController();
  /** What the read models held when the event store was away at the start. */
  private held: StoredRegistry | undefined;
  /** False while the event store was not reached since the start. */
  isCaughtUp = false;
  private beginWithoutStore: () => void = () => undefined;
  private readonly awayAtStart = new Promise<void>((resolve) => (this.beginWithoutStore = resolve));
  /** TRICKY: callers share a read of the head, but not one under way, which may miss the event they wait for. */
  private readonly catchUps = new Batcher((calls: readonly undefined[]) => this.reachHead(calls), {
    maxBatch: Infinity,
  });

  constructor(
    private readonly store: EventStore,
    private readonly folds: EventFold[],
    logger: Pick<Logger, 'warn' | 'info'>,
    private readonly readStored: () => Promise<StoredRegistry | undefined>,
    /** What the read models hold, of whichever event store. */
    private readonly readHeld: () => Promise<StoredRegistry | undefined> = () => Promise.resolve(undefined),
  ) {
    const { signal } = this.stopping;
    const outage = new OutageLog(logger, {
      began: 'the event store cannot be read; trying again until it can',
      ended: 'the event store can be read again',
    });
    this.follower = new LogFollower(store, {
      signal,
      paceMs: PACE_MS,
      from: () => this.load(),
      types: () => [...new Set(this.folds.flatMap(({ types }) => types))],
      onBatch: ({ events }) => decidedIn(events).forEach((event) => this.apply(event)),
      onError: (err) => {
        if (!signal.aborted) outage.failed(err);
      },
      onRead: () => outage.succeeded(),
    });
    void this.caughtUp.then(
      () => (this.isCaughtUp = true),
      () => undefined, // reported by `ended`
    );
  }

  /** The registry is complete before the first request, or is what the read models hold while the event store is away. */
  onApplicationBootstrap(): Promise<void> {
    return this.ready;
  }

  /** Resolves when it can be asked. */
  get ready(): Promise<void> {
    return Promise.race([this.caughtUp, this.awayAtStart]);
  }

  /** Whether it is what the read models hold, and the event store was not reached yet. */
  get isHeld(): boolean {
    return this.held !== undefined && this.follower.cursor === BEGINNING;
  }

  /** Resolves at the first moment when nothing more was in the store. */
  get caughtUp(): Promise<void> {
    return this.follower.caughtUp;
  }

  /** Everything up to here is applied. */
  get position(): Cursor {
    return this.isHeld ? (this.held?.cursor ?? BEGINNING) : this.follower.cursor;
  }

  includes(cursor: Cursor): boolean {
    return this.store.compare(this.position, cursor) >= 0;
  }

  /** One more fold, for the events that follow. */
  add(fold: EventFold): void {
    this.folds.push(fold);
  }

  /** Rejects when the follower ended for good: the registry is stale from then on. */
  get ended(): Promise<void> {
    return this.follower.ended;
  }

  /** True as soon as everything up to the cursor is applied, false if that takes longer. */
  hasReached(cursor: Cursor, timeoutMs: number): Promise<boolean> {
    return this.follower.hasReached(cursor, timeoutMs);
  }

  /**
   * Resolves when everything is applied that was in the store at the call. Concurrent calls share one read of its head.
   * @throws LogUnavailable when the store cannot be read, or its head is not reached in time
   */
  catchUp(): Promise<void> {
    return this.catchUps.submit(undefined);
  }

  /** Stops following, then closes the store it followed. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.store.close();
  }

  private async load(): Promise<Cursor> {
    try {
      const stored = await this.readStored();
      return this.held ? confirmed(this.held, stored) : this.loadFolds(stored);
    } catch (error) {
      if (error instanceof LogUnavailable) await this.loadHeld();
      throw error;
    }
  }

  /** Until the event store is there, what is in the read models is served. */
  private async loadHeld(): Promise<void> {
    if (this.held) return;
    const held = await this.readHeld();
    this.loadFolds(held);
    this.held = held;
    this.beginWithoutStore();
  }

  private loadFolds(stored: StoredRegistry | undefined): Cursor {
    if (stored === undefined) return BEGINNING;
    for (const fold of this.folds) fold.load?.(stored);
    return stored.cursor;
  }

  private apply(event: RecordedEvent & Recorded): void {
    for (const fold of this.folds) fold.apply(event, event.cursor);
  }

  private async reachHead(calls: readonly undefined[]): Promise<undefined[]> {
    if (!(await this.hasReached(await this.store.head(0), CATCH_UP_MS)))
      throw new LogUnavailable('The registry has not caught up with the event store in time.');
    return calls.map(() => undefined);
  }
}

/** Where to go on with the events. @throws EpochChanged where what was loaded is not of this event store as it is now */
function confirmed(held: StoredRegistry, stored: StoredRegistry | undefined): Cursor {
  if (stored?.epoch === held.epoch) return held.cursor;
  throw new EpochChanged('The event store is not the one whose registry this process began with; start it again.');
}
