import { setImmediate } from 'node:timers/promises';

const MAX_BLOCKING_MS = 25;

/** To be called between pieces of long work: lets other work run whenever so many ms have passed without a pause. */
export function yieldToEventLoop(ms = MAX_BLOCKING_MS): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < ms) return;
    await setImmediate();
    since = performance.now();
  };
}
