import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { eachEntry } from '@ledgerline/platform/database/histogram';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { estimate, ratio, type Fields } from '../fields';
import { columnOf, numberOrNull, type SqlRow } from '../sql-row';
import type { QueryContext } from '../query-type';
import { wholeBlocks } from './rollups';

/**
 * The histograms of a column over the days of the range as one row of two values, those to add and those to subtract,
 * each laid end to end: the driver reads one long value much faster than many short ones.
 */
export const histogramsByDays = (context: QueryContext, model: ReadModel, column: string, also: Sql): Sql => sql`
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from ${wholeBlocks(context, model, { columns: sql`${identifier(column)} as bins`, also })}`;

/** How many values each bin has, from the first bin on. */
interface Counts {
  readonly first: number;
  readonly counts: Float64Array;
  /** Of all bins. */
  readonly size: number;
}

/** Their sum. */
export function countsOf(found: SqlRow): Counts {
  const [added, subtracted] = [columnOf(found, 'added_bins'), columnOf(found, 'subtracted_bins')];
  if (!Buffer.isBuffer(added)) return { first: 0, counts: new Float64Array(), size: 0 };
  let [first, last, size] = [Infinity, -1, 0];
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
  let [at, reached] = [-1, 0];
  return ranks.map((rank) => {
    while (reached <= rank) reached += counts[++at] ?? Infinity;
    return first + at;
  });
}

/** Values at some ranks: exact where the source has columns of these names, else those of their bins; null of nothing. */
function valuesAt(found: SqlRow, names: readonly string[], ranksOf: (size: number) => readonly number[]) {
  if (names.every((name) => name in found)) return names.map((name) => numberOrNull(found, name));
  const counts = countsOf(found);
  const bins = binsAtRanks(counts, ranksOf(counts.size));
  return names.map((_, nth) => (bins[nth] === undefined ? null : binValue(bins[nth])));
}

/** The median, at rank ⌊(n − 1) / 2⌋; null of nothing. */
export const medianIn = (found: SqlRow, exact: string): number | null =>
  valuesAt(found, [exact], (size) => [Math.floor((size - 1) / 2)])[0] ?? null;

/** In percent, by field: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
export const PERCENTILES = { p50: 50, p75: 75, p90: 90, p95: 95, p99: 99 } as const;
const NAMES = Object.keys(PERCENTILES);

export const percentileFields: Fields = Object.fromEntries(NAMES.map((name) => [name, estimate(ratio)]));

/** The fields of {@link percentileFields}, of values that are stored as so many of a unit; null of none. */
export function percentilesIn(found: SqlRow, perUnit = 1): Readonly<Record<string, unknown>> {
  const ranksOf = (size: number) => Object.values(PERCENTILES).map((percent) => Math.ceil((percent / 100) * size) - 1);
  const values = valuesAt(found, NAMES, ranksOf).map((value) => (value === null ? null : value / perUnit));
  return Object.fromEntries(NAMES.map((name, nth) => [name, values[nth]]));
}
