import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Directory, type Recorded } from '@ledgerline/domain/directory/directory';
import type { EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { follow, type Following } from '@ledgerline/platform/event-store/follow';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { EVENT_STORE, LOGGER } from '../tokens';

/** The directory as this process knows it: fed from the event store, complete before the first request is heard. */
@Injectable()
export class LiveDirectory extends Directory implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Rejects when following ended for good: what is known here can no longer be trusted. */
  readonly ended: Promise<void>;
  private readonly following: Following<RecordedEvent>;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    super();
    this.following = follow(store, {
      signal: this.stopping.signal,
      onBatch: ({ events }) => events.forEach((event) => this.apply(decided(event))),
      onError: (err) => logger.warn({ err }, 'the event store cannot be read; trying again'),
    });
    this.ended = this.following.ended;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.following.caughtUp;
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** How far in the event store this directory has come. */
  get cursor(): Cursor {
    return this.following.cursor;
  }

  /** True as soon as the directory knows everything up to the cursor, false if that takes longer. */
  hasReached(cursor: Cursor, timeoutMs: number): Promise<boolean> {
    return this.following.hasReached(cursor, timeoutMs);
  }

  /** Waits until everything is known that was in the store when this was called. */
  async refreshed(timeoutMs: number): Promise<boolean> {
    return this.hasReached(await this.store.head(0), timeoutMs);
  }
}

/** Everything in the event store was written by us, as one of these. */
export const decided = (event: RecordedEvent): Recorded => event as RecordedEvent & Recorded;
