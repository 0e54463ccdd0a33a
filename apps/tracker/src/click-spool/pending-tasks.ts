/** Work that runs in the background and is awaited at shutdown. None of it may reject. */
export class PendingTasks {
  private readonly tasks = new Set<Promise<void>>();

  add(task: Promise<void>): void {
    this.tasks.add(task);
    void task.finally(() => this.tasks.delete(task));
  }

  async settled(): Promise<void> {
    while (this.tasks.size > 0) await Promise.all(this.tasks);
  }
}

/** How long the shutdown waits for one piece of work, ms. */
export const CLOSING_MS = 3_000;

/** Does not keep the process alive. Not of `timers/promises`, as no spec can fake that. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves with the work, or without it when the time is over. */
export const within = (ms: number, work: Promise<void> | undefined): Promise<void> => Promise.race([work, wait(ms)]);
