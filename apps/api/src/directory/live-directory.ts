import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Directory } from '@ledgerline/domain/directory/directory';
import { DecisionFeed } from '@ledgerline/platform/event-store/decision-feed';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { EVENT_STORE, LOGGER } from '../tokens';

/** The directory as this process knows it: fed from the event store, complete before the first request is heard. */
@Injectable()
export class LiveDirectory extends Directory implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Rejects when the feed ended for good: what is known here can no longer be trusted. */
  readonly ended: Promise<void>;
  private readonly feed: DecisionFeed;

  constructor(@Inject(EVENT_STORE) store: EventStore, @Inject(LOGGER) logger: Logger) {
    super();
    this.feed = new DecisionFeed(store, logger, (event) => this.apply(event));
    this.ended = this.feed.ended;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.feed.caughtUp;
  }

  onApplicationShutdown(): void {
    this.feed.stop();
  }

  /** True as soon as the directory knows everything up to the cursor, false if that takes longer. */
  hasReached(cursor: Cursor, timeoutMs: number): Promise<boolean> {
    return this.feed.hasReached(cursor, timeoutMs);
  }

  /** Waits until everything is known that was in the store when this was called. */
  refreshed(timeoutMs: number): Promise<boolean> {
    return this.feed.hasReachedHead(timeoutMs);
  }
}
