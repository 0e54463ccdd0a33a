import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { type EventStore, type RecordedEvent, decidedIn } from '../event-store/event-store';
import { Batcher } from '../log/batcher';
import { LogFollower } from '../log/log-follower';
import {
  BEGINNING,
  EpochChanged,
  isReplaced,
  LogReplaced,
  LogUnavailable,
  type Cursor,
  type ReaderPosition,
} from '../log/log-reader';
import { availableWithin, COMMAND_WAITS, Deadline } from '../log/timing';
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
/** A command relies on the store being the one that was read so long ago. */
const CHECKED_WITHIN_MS = 1_000;
/** The time that one call of a command waits for the store, and while the store does not answer. */
const WAITS = { firstMs: 4_000, laterMs: 1_000 };

/** The process has to load the registry anew, which what it has in memory cannot become. */
export class RegistryRebuilt extends Error {
  constructor() {
    super('The registry was rebuilt from another event store than the one that was read; the process ends to load it.');
    this.name = 'RegistryRebuilt';
  }
}

/**
 * Keeps the registry of this process up to date: begins with what the read models hold, if there are any, and follows
 * the event store from there, in its order.
 */
export class LiveRegistry implements OnApplicationBootstrap {
  private readonly follower: LogFollower<RecordedEvent>;
  private readonly stopping = new AbortController();
  /** Why the store is not the one that was read; undefined while it is. */
  private replaced: string | undefined;
  /** The content of the read models at the start; undefined before that, and where they held nothing. */
  private stored: StoredRegistry | undefined;
  private isLoaded = false;
  /** True if the event store answered since the start. */
  private isReached = false;
  /** False while the event store was not read to its head since the start. */
  isCaughtUp = false;
  private beginWithoutStore: () => void = () => undefined;
  private readonly awayAtStart = new Promise<void>((resolve) => (this.beginWithoutStore = resolve));
  /** TRICKY: callers share a read of the head, but not one under way, which may miss the event they wait for. */
  private readonly catchUps = new Batcher((calls: readonly undefined[]) => this.reachHead(calls), {
    maxBatch: Infinity,
  });
  private isSilent = false;

  constructor(
    private readonly store: EventStore,
    private readonly folds: EventFold[],
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
    private readonly readStored: () => Promise<StoredRegistry | undefined>,
    private readonly waits = WAITS,
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
      onReplaced: ({ message }) => this.stop(message),
      onRead: () => {
        outage.succeeded();
        this.isSilent = false;
        this.goOn();
      },
    });
    void this.caughtUp.then(
      () => (this.isCaughtUp = true),
      () => undefined, // reported by `ended`
    );
  }

  /**
   * The registry is complete before the first request, or as the read models have it where the event store is away or
   * another one.
   */
  onApplicationBootstrap(): Promise<void> {
    return this.ready;
  }

  /** Resolves when it can be asked. */
  get ready(): Promise<void> {
    return Promise.race([this.caughtUp, this.awayAtStart]);
  }

  /** True if it is what the read models hold, and the event store was not reached yet. */
  get isHeld(): boolean {
    return this.stored !== undefined && !this.isReached;
  }

  /** Resolves at the first moment when nothing more was in the store. */
  get caughtUp(): Promise<void> {
    return this.follower.caughtUp;
  }

  /** Everything up to here is applied. */
  get position(): Cursor {
    return this.isHeld ? (this.stored?.cursor ?? BEGINNING) : this.follower.cursor;
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
    return this.available(() => this.catchUps.submit(undefined));
  }

  /** Returns what is found, also of what another process recorded a moment ago. @throws LogUnavailable */
  async find<Found>(find: () => Found | undefined): Promise<Found | undefined> {
    const found = find();
    if (found !== undefined) return found;
    await this.catchUp();
    return find();
  }

  /**
   * Checks that the store is still the one that the registry was read from: to be asked before a decision.
   * @throws LogReplaced where it is not, also after a restart: until an operator has rebuilt the registry or undone it
   */
  async assertContinues(deadline?: Deadline): Promise<void> {
    if (this.replaced === undefined) await this.check(deadline);
    if (this.replaced !== undefined) throw new LogReplaced(this.replaced);
  }

  /** Stops following, then closes the store it followed. */
  async close(): Promise<void> {
    this.stopping.abort();
    await this.store.close();
  }

  private async load(): Promise<ReaderPosition> {
    if (!this.isLoaded) {
      const stored = await this.readStored();
      if (stored) for (const fold of this.folds) fold.load?.(stored);
      this.stored = stored;
      this.isLoaded = true;
    }
    try {
      await this.assertSameLog(this.stored);
    } catch (error) {
      if (error instanceof LogUnavailable) this.beginWithoutStore();
      throw error;
    }
    this.isReached = true;
    return this.stored ?? { cursor: BEGINNING };
  }

  private async assertSameLog(stored: StoredRegistry | undefined): Promise<void> {
    const epoch = await this.store.epoch();
    if (stored && stored.epoch !== epoch)
      throw new EpochChanged(
        'The event store was replaced by another one than the one that the registry was read from. Bring that back, or go on with this one: npm run projections -- rebuild registry --accept',
      );
  }

  /** Stops following the store; the registry in memory goes on answering. @throws RegistryRebuilt */
  private async stop(why: string): Promise<void> {
    if (this.replaced === undefined) this.logger.error(`commands are refused: ${why}`);
    this.replaced = why;
    if (await this.isRebuilt()) throw new RegistryRebuilt();
  }

  private goOn(): void {
    if (this.replaced !== undefined) this.logger.info('commands are no longer refused: the event store is as it was');
    this.replaced = undefined;
  }

  /** Returns whether the read models stand on an event of the store as it is now, which this process does not. */
  private async isRebuilt(): Promise<boolean> {
    try {
      const stored = await this.readStored();
      if (stored?.digest === undefined) return false;
      await this.assertSameLog(stored);
      await this.store.read(0, stored.cursor, { max: 1, types: [], digest: stored.digest });
      return true;
    } catch (error) {
      if (isReplaced(error) || error instanceof LogUnavailable) return false;
      throw error;
    }
  }

  private async check(deadline: Deadline | undefined): Promise<void> {
    if (performance.now() - this.follower.checkedAt < CHECKED_WITHIN_MS) return; // without a timer for each append
    try {
      await this.available(() => this.follower.check(CHECKED_WITHIN_MS), deadline);
    } catch (error) {
      throw isReplaced(error) ? new LogReplaced(error.message) : error;
    }
  }

  /** One wait for each command, however many ask and however long the read itself goes on. */
  private async available(read: () => Promise<unknown>, deadline = new Deadline()): Promise<void> {
    const { firstMs, laterMs } = this.waits;
    const leftMs = deadline.left(this.isSilent ? COMMAND_WAITS.laterMs : COMMAND_WAITS.firstMs);
    const ms = Math.max(Math.min(this.isSilent ? laterMs : firstMs, Math.round(leftMs)), 0);
    try {
      await availableWithin(ms, 'The event store', read);
      this.isSilent = false;
    } catch (error) {
      this.isSilent ||= error instanceof LogUnavailable;
      throw error;
    }
  }

  private apply(event: RecordedEvent & Recorded): void {
    for (const fold of this.folds) fold.apply(event, event.cursor);
  }

  /** Reads up to the head. Of a store that was replaced nothing more is applied, and no process accepts a command. */
  private async reachHead(calls: readonly undefined[]): Promise<undefined[]> {
    if (this.replaced !== undefined) return calls.map(() => undefined);
    if (!(await this.hasReached(await this.store.head(0), CATCH_UP_MS)))
      throw new LogUnavailable('The registry has not caught up with the event store in time.');
    return calls.map(() => undefined);
  }
}

/** Nothing is appended to a store that is not the one that the registry was read from. */
export function refuseWhileReplaced(store: EventStore, live: Pick<LiveRegistry, 'assertContinues'>): void {
  const append = store.append.bind(store);
  const appendInOrder = store.appendInOrder.bind(store);
  store.append = async (stream, expected, events, options) => {
    await live.assertContinues(options?.deadline);
    return append(stream, expected, events, options);
  };
  store.appendInOrder = async (appends) => {
    await live.assertContinues(appends[0]?.deadline);
    return appendInOrder(appends);
  };
}
