import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const LONGEST_PAUSE_MS = 100;

/** Looks again and again until there is something to see, neither undefined nor false. @throws what was seen last */
export function waitUntil<T>(
  look: () => T | Promise<T>,
  satisfies?: undefined,
  timeoutMs?: number,
): Promise<Exclude<T, undefined | false>>;
/** Looks again and again until what is seen satisfies. @throws what was seen last, after the timeout */
export function waitUntil<T>(
  look: () => T | Promise<T>,
  satisfies: (seen: T) => boolean,
  timeoutMs?: number,
): Promise<T>;
export async function waitUntil<T>(
  look: () => T | Promise<T>,
  satisfies: (seen: T) => boolean = (seen) => seen !== undefined && seen !== false,
  timeoutMs = 60_000,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs); // runs by a real clock where that of a spec is faked
  for (let looks = 1; ; looks++) {
    const seen = await look();
    if (satisfies(seen)) return seen;
    if (timeout.aborted) throw new Error(`It did not happen within ${timeoutMs} ms; seen last: ${inspect(seen)}`);
    await sleep(Math.min(looks, LONGEST_PAUSE_MS));
  }
}
