import { setImmediate } from 'node:timers/promises';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';

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

const MEASURED_OVER_MS = 100;

/** How much of the latest tenth of a second the event loop of this process was busy. */
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
