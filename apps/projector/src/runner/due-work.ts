import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { OutageLog } from '@ledgerline/platform/logging/outage-log';

/** Work that falls due, each piece of which belongs to one process at a time. */
interface DueWorkParts<Item> {
  /** Takes pieces that are due, at most so many. */
  readonly take: (max: number) => Promise<readonly Item[]>;
  readonly complete: (item: Item, stopping: AbortSignal) => Promise<void>;
  /** Any process may take it at once. */
  readonly giveBack: (item: Item) => Promise<void>;
  /** Resolves when there may be more. */
  readonly wait: (stopping: AbortSignal) => Promise<void>;
  readonly outage: OutageLog;
}

/** Pieces under way in one process. */
const MAX_AT_ONCE = 50;

/** Takes what is due and completes it, several pieces at once; at the end of the process it gives back what is under way. */
export class DueWork<Item> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private loop: Promise<void> | undefined;

  constructor(private readonly parts: DueWorkParts<Item>) {}

  onApplicationBootstrap(): void {
    this.loop ??= this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const { wait, outage } = this.parts;
    while (!signal.aborted) {
      await this.beginDue().catch((error: unknown) => outage.failed(error));
      await wait(signal);
    }
  }

  private async beginDue(): Promise<void> {
    const free = MAX_AT_ONCE - this.running.size;
    if (free === 0) return;
    const due = await this.parts.take(free);
    if (due.length === 0 && this.running.size === 0) this.parts.outage.succeeded();
    for (const item of due) {
      const running = this.complete(item);
      this.running.add(running);
      void running.finally(() => this.running.delete(running));
    }
  }

  /** Unless the process stops, what fails is taken again when it no longer belongs to this process. */
  private async complete(item: Item): Promise<void> {
    const { complete, giveBack, outage } = this.parts;
    const { signal } = this.stopping;
    try {
      await complete(item, signal);
      outage.succeeded();
    } catch (error) {
      if (!signal.aborted) outage.failed(error);
      else await giveBack(item).catch((failure: unknown) => outage.failed(failure));
    }
  }
}
