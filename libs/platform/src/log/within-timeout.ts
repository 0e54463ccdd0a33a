import { setTimeout } from 'node:timers/promises';

/** Undefined when it fails or takes longer than so many ms. */
export async function withinTimeout<T>(ms: number, read: () => Promise<T>): Promise<T | undefined> {
  const tooLate = new AbortController();
  const late = setTimeout(ms, undefined, { signal: tooLate.signal }).catch(() => undefined);
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined;
  } finally {
    tooLate.abort();
  }
}
