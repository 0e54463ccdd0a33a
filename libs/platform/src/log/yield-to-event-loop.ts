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

const ITEMS_AT_ONCE = 1_000;

/** What `map` makes of very many items; other work goes on meanwhile. */
export async function mapInSlices<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, place: number) => Made,
): Promise<Made[]> {
  const [made, pause]: [Made[], () => Promise<void>] = [[], yieldToEventLoop()];
  for (const item of items) {
    made.push(make(item, made.length));
    if (made.length % ITEMS_AT_ONCE === 0) await pause();
  }
  return made;
}
