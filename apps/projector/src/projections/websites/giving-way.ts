import { setImmediate } from 'node:timers/promises';

const MOST_MS = 25;

/** To be called between pieces of long work: lets everything else have its turn after a while without a pause. */
export function givingWay(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MOST_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
