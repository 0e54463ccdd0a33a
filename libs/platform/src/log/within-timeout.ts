import { setTimeout } from 'node:timers/promises';
import { LogUnavailable } from './log-reader';

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

/** What a request waits for no longer than so many ms, however slowly a store fails. @throws LogUnavailable then */
export async function availableWithin<T>(ms: number, what: string, read: () => Promise<T>): Promise<T> {
  const answered = new AbortController();
  const late = setTimeout(ms, undefined, { signal: answered.signal }).then(() => {
    throw new LogUnavailable(`${what} did not answer within ${ms} ms.`);
  });
  try {
    return await Promise.race([read(), late]);
  } finally {
    late.catch(() => undefined);
    answered.abort();
  }
}
