import {
  END,
  excludeSystemEvents,
  type AllStreamSubscription,
  type RecordedEvent as StoredEvent,
} from '@eventstore/db-client';
import { Backoff } from '../../log/backoff';
import type { ChangeNotifications } from '../../log/log-change-listener';
import type { Connection } from './connection';

/**
 * A live subscription at the head of `$all`: readers notice changes by it, and appends find what they have written. What
 * it misses is read. The driver does not renew a subscription that ended, so this does.
 */
export class ChangeSubscription implements ChangeNotifications {
  /** Whether new events arrive. */
  isLive = false;
  private readonly closing = new AbortController();
  private readonly observers: ((event: StoredEvent) => void)[] = [];
  private running: Promise<void> | undefined;
  private current: AllStreamSubscription | undefined;
  private endCurrent: () => void = () => undefined;
  private isObserved = false;

  constructor(private readonly connection: Connection) {}

  subscribe(onChange: () => void): void {
    if (!this.isObserved) this.onEvent(() => onChange());
    this.isObserved = true;
    this.begin();
  }

  onEvent(observer: (event: StoredEvent) => void): void {
    this.observers.push(observer);
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

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const backoff = new Backoff(signal);
    while (!signal.aborted) {
      if (await this.untilEnd()) backoff.reset();
      this.isLive = false;
      await backoff.pause();
    }
  }

  /** Resolves when the subscription ends, with whether it ever began. */
  private untilEnd(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => resolve(this.isLive);
      this.current = this.connection.client.subscribeToAll({ fromPosition: END, filter: excludeSystemEvents() });
      this.current.on('confirmation', () => (this.isLive = true));
      this.current.on('data', ({ event }) => event && this.observers.forEach((observe) => observe(event)));
      for (const ending of ['error', 'end', 'close'] as const) this.current.on(ending, end);
      this.endCurrent = end;
    });
  }
}
