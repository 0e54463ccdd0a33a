/** The value at rank ⌈share · n⌉ of the sorted values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How long the work takes: milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
