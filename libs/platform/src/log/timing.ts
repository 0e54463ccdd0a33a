import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout as startTimer } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { LogUnavailable } from './log-reader';

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

/** The times that a command waits for a store in all, ms: at first, and while the store is known not to answer. */
export const COMMAND_WAITS = { firstMs: 8_000, laterMs: 1_500 };

/** The end of what a command waits for a store, however many calls it makes. */
export class Deadline {
  private readonly begunAt = performance.now();
  private endsAt: number | undefined;

  /** ms; the first caller decides how many there are in all. */
  left(totalMs: number): number {
    this.endsAt ??= this.begunAt + totalMs;
    return this.endsAt - performance.now();
  }
}

/** Undefined when it fails or takes longer than so many ms. */
export const withinTimeout = <T>(ms: number, read: () => Promise<T>): Promise<T | undefined> =>
  availableWithin(ms, 'It', read).catch(() => undefined);

/**
 * Reads for a request that waits no longer than so many ms, however slowly a store fails. @throws LogUnavailable then
 */
export function availableWithin<T>(ms: number, what: string, read: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const reading = read();
    // TRICKY: each keyed request comes here; aborting a timer makes an error, clearing it costs next to nothing
    const late = startTimer(() => reject(new LogUnavailable(`${what} did not answer within ${ms} ms.`)), ms);
    const settle = <V>(settled: (value: V) => void) => {
      return (value: V): void => {
        clearTimeout(late);
        settled(value);
      };
    };
    reading.then(settle(resolve), settle(reject));
  });
}

const MAX_BLOCKING_MS = 10;

/** To be called between pieces of long work: lets other work run whenever 10 ms have passed without a pause. */
export function yieldToEventLoop(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_BLOCKING_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

const ITEMS_AT_ONCE = 1_000;

/** Returns what `map` makes of very many items; other work goes on meanwhile. */
export async function mapInSlices<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, place: number) => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  const pause: () => Promise<void> = yieldToEventLoop();
  for (const item of items) {
    made.push(make(item, made.length));
    if (made.length % ITEMS_AT_ONCE === 0) await pause();
  }
  return made;
}

const MEASURED_OVER_MS = 100;

/** Measures how much of the latest tenth of a second the event loop of this process was busy. */
export class EventLoopLoad {
  private since = performance.now();
  private before: EventLoopUtilization = performance.eventLoopUtilization();
  private share = 0;

  /** From 0 to 1. */
  now(): number {
    const now = performance.now();
    if (now - this.since < MEASURED_OVER_MS) return this.share;
    const current = performance.eventLoopUtilization();
    this.share = performance.eventLoopUtilization(current, this.before).utilization;
    this.before = current;
    this.since = now;
    return this.share;
  }
}
