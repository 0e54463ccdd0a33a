import { Directory, type Recorded } from '@ledgerline/domain/directory/directory';
import type { EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { follow, type Following } from '@ledgerline/platform/event-store/follow';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EVENT_STORE, LOGGER } from '../tokens';

const CATCH_UP_MS = 2_000;

/** The directory as this process knows it: fed from the event store, complete before the first request is heard. */
@Injectable()
export class LiveDirectory extends Directory implements OnApplicationBootstrap {
  /** Rejects when following ended for good: what is known here can no longer be trusted. */
  readonly ended: Promise<void>;
  /** Organizations that have short links. */
  readonly linkOwners = new Set<string>();
  private readonly following: Following<RecordedEvent>;
  private readonly stopping = new AbortController();
  private onLinkOwner: (organizationId: string) => void = () => undefined;
  private catchingUp: Promise<void> | undefined;
  private again: Promise<void> | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    super();
    this.following = follow(store, {
      signal: this.stopping.signal,
      onBatch: ({ events }) => events.forEach((event) => this.hear(decided(event))),
      onError: (err) => {
        if (!this.stopping.signal.aborted) logger.warn({ err }, 'the event store cannot be read; trying again');
      },
    });
    this.ended = this.following.ended;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.caughtUp();
  }

  caughtUp(): Promise<void> {
    return this.following.caughtUp;
  }

  /** Tells of every organization that makes its first short link from now on. */
  watchLinkOwners(tell: (organizationId: string) => void): void {
    this.onLinkOwner = tell;
  }

  /** Stops following, then closes the store it followed. Until then requests may still need what was decided. */
  async close(): Promise<void> {
    this.stopping.abort();
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
    const reached = await this.following.hasReached(await this.store.head(0), CATCH_UP_MS);
    if (!reached) throw new LogUnavailable('What was decided last is not known here yet.');
  }
}

/** Everything in the event store was written by us, as one of these. */
export const decided = (event: RecordedEvent): Recorded => event as RecordedEvent & Recorded;
