/** When a process that ended is started again. */
export interface RestartPolicy {
  /** Milliseconds before each new start; the last one is repeated, and a process that was ready for longer begins anew. */
  readonly delaysMs: readonly number[];
  /** So many ends before it was ever ready end the start of the product: something is set up wrongly. */
  readonly attemptsBeforeFirstReady: number;
}

export const DEFAULT_POLICY: RestartPolicy = {
  delaysMs: [200, 500, 1_000, 2_000, 5_000, 10_000, 30_000],
  attemptsBeforeFirstReady: 2,
};

/** The failures in a row, after one more of a process that was ready for `readyForMs` before it. */
export const failuresInARow = ({ delaysMs }: RestartPolicy, before: number, readyForMs: number): number =>
  readyForMs > longest(delaysMs) ? 1 : before + 1;

/** Milliseconds to wait after so many failures in a row. */
export const delayAfter = ({ delaysMs }: RestartPolicy, failures: number): number =>
  delaysMs[failures - 1] ?? longest(delaysMs);

const longest = (delaysMs: readonly number[]): number => delaysMs.at(-1) ?? 0;
