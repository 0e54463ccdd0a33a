import { setTimeout } from 'node:timers/promises';
import { END, excludeSystemEvents, type AllStreamSubscription } from '@eventstore/db-client';
import type { ChangeNotifications } from '../../log/log-change-listener';
import type { Connection } from './connection';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

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
    let backoff = FIRST_BACKOFF_MS;
    while (!signal.aborted) {
      const began = await this.untilEnd(onChange);
      backoff = began ? FIRST_BACKOFF_MS : Math.min(backoff * 2, MAX_BACKOFF_MS);
      await setTimeout(backoff, undefined, { signal }).catch(() => undefined);
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
