import { estimate, numberOrNull, ratio, type Fields, type SqlRow } from '../fields';
import { binsAtRanks, countsOf } from './histograms';

/** In percent, by field: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
export const PERCENTILES = { p50: 50, p75: 75, p90: 90, p95: 95, p99: 99 } as const;
const ENTRIES = Object.entries(PERCENTILES);

export const percentileFields: Fields = Object.fromEntries(ENTRIES.map(([name]) => [name, estimate(ratio)]));

/** The fields of {@link percentileFields}, from columns of their names or from a histogram of the values; null of none. */
export function percentilesIn(
  found: SqlRow,
  valueOf: (stored: number) => number,
  ofBin: (bin: number) => number,
): Readonly<Record<string, unknown>> {
  const stored = storedIn(found, ofBin);
  return Object.fromEntries(
    ENTRIES.map(([name], at) => {
      const value = stored[at] ?? null;
      return [name, value === null ? null : valueOf(value)];
    }),
  );
}

function storedIn(found: SqlRow, ofBin: (bin: number) => number): readonly (number | null)[] {
  if (ENTRIES.every(([name]) => name in found)) return ENTRIES.map(([name]) => numberOrNull(found, name));
  const counts = countsOf(found);
  return binsAtRanks(
    counts,
    ENTRIES.map(([, percent]) => Math.ceil((percent / 100) * counts.size) - 1),
  ).map(ofBin);
}
