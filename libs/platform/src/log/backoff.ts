import { setTimeout } from 'node:timers/promises';

const FIRST_MS = 50;
const MAX_MS = 2_000;

/** Resolves after the time, or as soon as the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** The pauses between tries of something that is unavailable: each twice as long as the one before. */
export class Backoff {
  private nextMs = FIRST_MS;

  constructor(private readonly signal?: AbortSignal) {}

  pause(): Promise<void> {
    const ms = this.nextMs;
    this.nextMs = Math.min(ms * 2, MAX_MS);
    return pause(ms, this.signal);
  }

  /** After a success. */
  reset(): void {
    this.nextMs = FIRST_MS;
  }
}
