/** What `X-Log-Position` says: where each partition stands after a write, for a query that wants to see it. */
export const logPositionOf = (positions: ReadonlyMap<number, string>): string =>
  [...positions].map(([partition, offset]) => `i${partition}:${offset}`).join(',');
