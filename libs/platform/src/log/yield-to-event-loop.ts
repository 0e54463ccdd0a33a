import { setImmediate } from 'node:timers/promises';

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
