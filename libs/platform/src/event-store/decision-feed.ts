import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Cursor } from '../log/log-reader';
import type { Logger } from '../logging/logger';
import { decided } from './decided';
import type { EventStore, RecordedEvent } from './event-store';
import { follow, type Following } from './follow';

/** Tells everything that was ever decided, in its order, and goes on with what is decided next. */
export class DecisionFeed {
  private readonly following: Following<RecordedEvent>;
  private readonly stopping = new AbortController();

  constructor(
    private readonly store: EventStore,
    logger: Pick<Logger, 'warn'>,
    tell: (event: Recorded) => void,
  ) {
    const { signal } = this.stopping;
    this.following = follow(store, {
      signal,
      onBatch: ({ events }) => events.forEach((event) => tell(decided(event))),
      onError: (err) => {
        if (!signal.aborted) logger.warn({ err }, 'the event store cannot be read; trying again');
      },
    });
  }

  /** Resolves at the first moment when nothing more was in the store. */
  get caughtUp(): Promise<void> {
    return this.following.caughtUp;
  }

  /** Rejects when the feed ended for good: what was told can no longer be trusted. */
  get ended(): Promise<void> {
    return this.following.ended;
  }

  /** True as soon as everything up to the cursor is told, false if that takes longer. */
  hasReached(cursor: Cursor, timeoutMs: number): Promise<boolean> {
    return this.following.hasReached(cursor, timeoutMs);
  }

  /** The same for everything that was in the store when this was called. */
  async hasReachedHead(timeoutMs: number): Promise<boolean> {
    return this.hasReached(await this.store.head(0), timeoutMs);
  }

  stop(): void {
    this.stopping.abort();
  }
}
