/** How long the end of the process waits for one piece of work, ms. */
export const CLOSING_MS = 3_000;

/** Does not keep the process alive. Not of `timers/promises`, as no spec can fake that. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves with the work, or without it when the time is over. */
export const within = (ms: number, work: Promise<void> | undefined): Promise<void> => Promise.race([work, wait(ms)]);
