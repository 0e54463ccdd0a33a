import {
  END,
  eventTypeFilter,
  streamNameFilter,
  TimeoutError,
  type AllStreamSubscription,
  type Filter,
  type Position,
  type RecordedEvent as StoredEvent,
} from '@eventstore/db-client';
import { Backoff } from '@ledgerline/platform/log/backoff';
import { INTERNAL_ORGANIZATION } from '@ledgerline/platform/event-store/event-store';
import type { Connection } from './connection';

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
export class ChangeSubscription {
  /** Whether new events arrive. */
  isLive = false;
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private current: AllStreamSubscription | undefined;
  private endCurrent: () => void = () => undefined;
  /** Of the newest event since the last gap. */
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

  /** Decided events only: no links of projections, no statistics, no seals. Where it leaves events out, the server sends checkpoints. */
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
    return streamNameFilter({ regex: String.raw`^(?!\$|${INTERNAL_ORGANIZATION}-)`, ...checkpoints });
  }
}
