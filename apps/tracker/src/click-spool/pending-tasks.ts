/** Work in the background that is awaited at shutdown. */
export class PendingTasks {
  private readonly tasks = new Set<Promise<void>>();

  constructor(private readonly onError: (error: unknown) => void) {}

  /** Resolves when the task has succeeded or failed. */
  add(task: Promise<void>): Promise<void> {
    const settled = task.catch(this.onError).finally(() => this.tasks.delete(settled));
    this.tasks.add(settled);
    return settled;
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
