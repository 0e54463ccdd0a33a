import { setTimeout } from 'node:timers/promises';
import { END, excludeSystemEvents, type AllStreamSubscription } from '@eventstore/db-client';
import { Waiters } from '../waiters';
import type { Connection } from './connection';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/**
 * Hints from one live subscription at the head; it delivers nothing but "there is more", reads bring the events.
 * A subscription never comes back by itself, so each end of one starts a new one after a while.
 */
export class SubscriptionHints {
  private readonly waiters = new Waiters();
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;
  private subscription: AllStreamSubscription | undefined;
  private endSubscription: () => void = () => undefined;

  constructor(private readonly connection: Connection) {}

  /** See {@link Waiters.hint}. */
  hint(withinMs: number, signal?: AbortSignal): Promise<void> {
    this.running ??= this.run();
    return this.waiters.hint(withinMs, signal);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.waiters.wake();
    this.endSubscription();
    await this.subscription?.unsubscribe().catch(() => undefined);
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    let backoff = FIRST_BACKOFF_MS;
    while (!signal.aborted) {
      const worked = await this.subscribe();
      backoff = worked ? FIRST_BACKOFF_MS : Math.min(backoff * 2, MAX_BACKOFF_MS);
      this.waiters.wake(); // something may have happened while nobody listened
      await setTimeout(backoff, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the subscription ends, with whether it ever began. */
  private subscribe(): Promise<boolean> {
    return new Promise((resolve) => {
      let began = false;
      const end = () => resolve(began);
      this.subscription = this.connection.client.subscribeToAll({ fromPosition: END, filter: excludeSystemEvents() });
      this.subscription.on('confirmation', () => (began = true));
      this.subscription.on('data', () => this.waiters.wake());
      for (const ending of ['error', 'end', 'close'] as const) this.subscription.on(ending, end);
      this.endSubscription = end;
    });
  }
}
