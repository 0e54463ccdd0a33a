import { setTimeout } from 'node:timers/promises';

/** Those who wait for a hint that there is more; a hint may be missing or in vain, so whoever waits also looks. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** Resolves at the next hint, or after so many milliseconds, or when aborted; never rejects. */
  async hint(withinMs: number, signal?: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const stop = () => enough.abort();
    this.waiting.add(stop);
    signal?.addEventListener('abort', stop, { once: true });
    await setTimeout(withinMs, undefined, { signal: enough.signal }).catch(() => undefined);
    signal?.removeEventListener('abort', stop);
    this.waiting.delete(stop);
  }

  wake(): void {
    for (const stop of this.waiting) stop();
  }
}
