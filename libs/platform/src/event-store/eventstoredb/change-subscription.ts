import { END, excludeSystemEvents, type AllStreamSubscription } from '@eventstore/db-client';
import { Backoff } from '../../log/backoff';
import type { ChangeNotifications } from '../../log/log-change-listener';
import type { Connection } from './connection';

/**
 * A live subscription at the head of `$all`, used only to notice changes; reads bring the events. The driver does not
 * renew a subscription that ended, so this does.
 */
export class ChangeSubscription implements ChangeNotifications {
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private current: AllStreamSubscription | undefined;
  private endCurrent: () => void = () => undefined;

  constructor(private readonly connection: Connection) {}

  subscribe(onChange: () => void): void {
    this.running ??= this.run(onChange);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.endCurrent();
    await this.current?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  private async run(onChange: () => void): Promise<void> {
    const { signal } = this.closing;
    const backoff = new Backoff(signal);
    while (!signal.aborted) {
      if (await this.untilEnd(onChange)) backoff.reset();
      await backoff.pause();
    }
  }

  /** Resolves when the subscription ends, with whether it ever began. */
  private untilEnd(onChange: () => void): Promise<boolean> {
    return new Promise((resolve) => {
      let began = false;
      const end = () => resolve(began);
      this.current = this.connection.client.subscribeToAll({ fromPosition: END, filter: excludeSystemEvents() });
      this.current.on('confirmation', () => (began = true));
      this.current.on('data', () => onChange());
      for (const ending of ['error', 'end', 'close'] as const) this.current.on(ending, end);
      this.endCurrent = end;
    });
  }
}
