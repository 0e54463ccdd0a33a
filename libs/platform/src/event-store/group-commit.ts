import { setImmediate } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Does the work of many callers in one go: while one flush is under way the next one's items gather. Every caller gets
 * the outcome of its own item; `flush` answers one outcome per item, in order.
 */
export class GroupCommit<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  constructor(
    private readonly flush: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>,
    private readonly maxItems: number,
  ) {}

  submit(item: Item): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await setImmediate(); // callers answered by the last flush come back first, so that they share the next one
      const group = this.waiting.splice(0, this.maxItems);
      await this.settle(group);
    }
    this.running = undefined;
  }

  private async settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await this.flush(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, at) => {
        const outcome = outcomes[at];
        if (outcome?.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome?.reason ?? new Error('The flush left an item without an outcome.'));
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
