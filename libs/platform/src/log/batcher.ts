import { setImmediate } from 'node:timers/promises';

/** Processes one batch; one result per item, in order. */
type Flush<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

interface BatcherOptions<Item> {
  /** Total size of a batch, unless its first item alone is larger. */
  readonly maxBatch: number;
  /** Size of an item; 1 by default. */
  readonly sizeOf?: (item: Item) => number;
  /** The time for which the first item waits for others, ms, in a batch that begins while another is flushed. */
  readonly lingerMs?: number | (() => number);
  /** Total size from which a batch waits for nothing; by default the maximum. */
  readonly lingerUpTo?: number;
  /** Errors of a batch after which its halves are flushed again, and theirs, so that only bad items fail. */
  readonly isolates?: (error: unknown) => boolean;
  /** Errors of a batch that fail everything queued behind it, too. */
  readonly failsQueue?: (error: unknown) => boolean;
}

interface Pending<Item, Result> {
  readonly item: Item;
  /** By `performance.now()`. */
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Micro-batching: one batch is flushed at a time, and what is submitted meanwhile forms the next one, so batches grow
 * with the load and items keep their order. Every caller gets the result of its own item.
 */
export class Batcher<Item, Result> {
  private queue: Pending<Item, Result>[] = [];
  /** Parts of a batch that failed, the next one last; all of them precede the queue. */
  private parts: (readonly Pending<Item, Result>[])[] = [];
  private running: Promise<void> | undefined;
  /** Ends the wait for more items. */
  private endLinger: (() => void) | undefined;

  constructor(
    private readonly flush: Flush<Item, Result>,
    private readonly options: BatcherOptions<Item>,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.queue.push({ item, since: performance.now(), resolve, reject });
      this.running ??= this.run();
      if (this.endLinger !== undefined && this.isEnough()) this.endLinger();
    });
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    for (let isFirst = true; this.parts.length > 0 || this.queue.length > 0; isFirst = false) {
      await setImmediate(); // callers answered by the last batch come back first, so that they share the next one
      if (!isFirst && this.parts.length === 0) await this.linger();
      await this.settle(this.parts.pop() ?? this.nextBatch());
    }
    this.running = undefined;
  }

  /**
   * Lets the first item wait for others; one that waited while the last batch was flushed has mostly waited long
   * enough.
   */
  private async linger(): Promise<void> {
    const { lingerMs: linger = 0 } = this.options;
    const lingerMs = typeof linger === 'number' ? linger : linger();
    const [first] = this.queue;
    const restMs = first === undefined ? 0 : first.since + lingerMs - performance.now();
    if (lingerMs === 0 || restMs <= 0 || this.isEnough()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, restMs);
      this.endLinger = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endLinger = undefined;
  }

  private isEnough(): boolean {
    const { maxBatch, lingerUpTo = maxBatch, sizeOf = () => 1 } = this.options;
    let size = 0;
    for (const { item } of this.queue) if ((size += sizeOf(item)) >= lingerUpTo) return true;
    return false;
  }

  private nextBatch(): Pending<Item, Result>[] {
    const { maxBatch, sizeOf = () => 1 } = this.options;
    let size = 0;
    let count = 0;
    for (const { item } of this.queue) {
      size += sizeOf(item);
      if (count > 0 && size > maxBatch) break;
      count += 1;
    }
    return this.queue.splice(0, count);
  }

  private async settle(batch: readonly Pending<Item, Result>[]): Promise<void> {
    const { isolates, failsQueue } = this.options;
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('A flush answers one result per item.');
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result)); // there is one for each
    } catch (error) {
      if (batch.length > 1 && isolates?.(error)) this.halve(batch);
      else for (const { reject } of failsQueue?.(error) ? [...batch, ...this.takeAll()] : batch) reject(error);
    }
  }

  private halve(batch: readonly Pending<Item, Result>[]): void {
    const middle = Math.ceil(batch.length / 2);
    this.parts.push(batch.slice(middle), batch.slice(0, middle));
  }

  /** Everything that waits, in order. */
  private takeAll(): readonly Pending<Item, Result>[] {
    const waiting = [...this.parts.reverse().flat(), ...this.queue];
    this.parts = [];
    this.queue = [];
    return waiting;
  }
}
