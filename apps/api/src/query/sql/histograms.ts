import { binValue } from '@ledgerline/contracts/sessions/session';
import { eachEntry } from '@ledgerline/platform/database/read-model-rows';
import { requiredCell, estimate, numberOrNull, ratio, type ResultFields, type SqlRow } from '../declaration/fields';

/** The number of values in each bin, from the first bin on. */
interface Counts {
  readonly first: number;
  readonly counts: Float64Array;
  /** The number of values in all bins. */
  readonly size: number;
}

/** Their sum. */
export function histogramCounts(found: SqlRow): Counts {
  const added = requiredCell(found, 'added_bins');
  const subtracted = requiredCell(found, 'subtracted_bins');
  if (!Buffer.isBuffer(added)) return { first: 0, counts: new Float64Array(), size: 0 };
  let first = Infinity;
  let last = -1;
  let size = 0;
  eachEntry(added, (bin) => {
    if (bin < first) first = bin;
    if (bin > last) last = bin;
  });
  const counts = new Float64Array(Math.max(0, last - first + 1));
  const add = (binary: Buffer, sign: 1 | -1) =>
    eachEntry(binary, (bin, count) => {
      counts[bin - first] = (counts[bin - first] ?? 0) + sign * count;
      size += sign * count;
    });
  add(added, 1);
  if (Buffer.isBuffer(subtracted)) add(subtracted, -1);
  return { first, counts, size };
}

/** The bins at ascending ranks, counted from 0; none of nothing. */
export function binsAtRanks({ first, counts, size }: Counts, ranks: readonly number[]): readonly number[] {
  if (size === 0) return [];
  let at = -1;
  let reached = 0;
  return ranks.map((rank) => {
    while (reached <= rank) reached += counts[++at] ?? Infinity;
    return first + at;
  });
}

/** Values at some ranks: exact where the source has columns of these names, else those of their bins; null of nothing. */
function valuesAt(found: SqlRow, names: readonly string[], ranksOf: (size: number) => readonly number[]) {
  if (names.every((name) => name in found)) return names.map((name) => numberOrNull(found, name));
  const counts = histogramCounts(found);
  const bins = binsAtRanks(counts, ranksOf(counts.size));
  return names.map((_, nth) => (bins[nth] === undefined ? null : binValue(bins[nth])));
}

/** In percent, by field: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
export const PERCENTILES = { p50: 50, p75: 75, p90: 90, p95: 95, p99: 99 } as const;
const NAMES = Object.keys(PERCENTILES);

export const percentileFields: ResultFields = Object.fromEntries(NAMES.map((name) => [name, estimate(ratio)]));

/** The fields of {@link percentileFields}, of values that are stored as so many of a unit; null of none. */
export function percentilesIn(found: SqlRow, perUnit = 1): Readonly<Record<string, unknown>> {
  const ranksOf = (size: number) => Object.values(PERCENTILES).map((percent) => Math.ceil((percent / 100) * size) - 1);
  const values = valuesAt(found, NAMES, ranksOf).map((value) => (value === null ? null : value / perUnit));
  return Object.fromEntries(NAMES.map((name, nth) => [name, values[nth]]));
}
