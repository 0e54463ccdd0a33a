/** The value at rank ⌈share · n⌉ of the sorted values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns how long the work takes: milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The number of times that something is measured: so many times, or fewer when that takes longer than `forMs`. */
export interface Effort {
  readonly times: number;
  readonly atLeast: number;
  readonly forMs: number;
}

/** Returns how long each of several runs takes: milliseconds. */
export async function repeated(work: () => Promise<unknown>, { times, atLeast, forMs }: Effort): Promise<number[]> {
  const took: number[] = [];
  const startedAt = performance.now();
  while (took.length < times && (took.length < atLeast || performance.now() - startedAt < forMs)) {
    took.push(await timed(work));
  }
  return took;
}
