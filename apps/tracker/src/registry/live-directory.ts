import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { Directory } from '@ledgerline/domain/directory/directory';
import { DecisionFeed } from '@ledgerline/platform/event-store/decision-feed';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EVENT_STORE, LOGGER } from '../tokens';

const CATCH_UP_MS = 2_000;

/** The directory as this process knows it: fed from the event store, complete before the first request is heard. */
@Injectable()
export class LiveDirectory extends Directory implements OnApplicationBootstrap {
  /** Rejects when the feed ended for good: what is known here can no longer be trusted. */
  readonly ended: Promise<void>;
  /** Organizations that have short links. */
  readonly linkOwners = new Set<string>();
  private readonly feed: DecisionFeed;
  private onLinkOwner: (organizationId: string) => void = () => undefined;
  private catchingUp: Promise<void> | undefined;
  private again: Promise<void> | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    super();
    this.feed = new DecisionFeed(store, logger, (event) => this.hear(event));
    this.ended = this.feed.ended;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.caughtUp();
  }

  caughtUp(): Promise<void> {
    return this.feed.caughtUp;
  }

  /** Tells of every organization that makes its first short link from now on. */
  watchLinkOwners(tell: (organizationId: string) => void): void {
    this.onLinkOwner = tell;
  }

  /** Stops following, then closes the store it followed. Until then requests may still need what was decided. */
  async close(): Promise<void> {
    this.feed.stop();
    await this.store.close();
  }

  /**
   * Knows afterwards all that was decided before the call. However many wait, one look at the store is under way.
   * @throws LogUnavailable when the store cannot be asked, or is further ahead than can be heard in time
   */
  catchUp(): Promise<void> {
    if (this.catchingUp === undefined) return this.look();
    // TRICKY: the look under way may have begun before the decision the caller knows of
    return (this.again ??= this.catchingUp
      .catch(() => undefined)
      .then(() => {
        this.again = undefined;
        return this.look();
      }));
  }

  private hear(event: Recorded): void {
    this.apply(event);
    if (event.type !== 'LinkCreated' || this.linkOwners.has(event.data.organizationId)) return;
    this.linkOwners.add(event.data.organizationId);
    this.onLinkOwner(event.data.organizationId);
  }

  private look(): Promise<void> {
    this.catchingUp = this.refresh().finally(() => (this.catchingUp = undefined));
    return this.catchingUp;
  }

  private async refresh(): Promise<void> {
    if (!(await this.feed.hasReachedHead(CATCH_UP_MS)))
      throw new LogUnavailable('What was decided last is not known here yet.');
  }
}
