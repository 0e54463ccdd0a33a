import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { eachEntry } from '@ledgerline/platform/database/histogram';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { SqlRow } from '../fields';
import type { QueryContext } from '../query-type';
import { wholeBlocks } from './blocks';

/**
 * The histograms of a column over the days of the range as one row of two values, those to add and those to subtract,
 * each laid end to end: the driver reads one long value much faster than many short ones.
 */
export const histogramsByDays = (context: QueryContext, model: ReadModel, column: string, also: Sql): Sql => sql`
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from ${wholeBlocks(context, model, { columns: sql`${identifier(column)} as bins`, also })}`;

/** How many values each bin has, by bin. */
export type Counts = Float64Array;

/** Their sum. */
export function countsOf({ added_bins: added, subtracted_bins: subtracted }: SqlRow): Counts {
  if (!Buffer.isBuffer(added)) return new Float64Array();
  let last = -1;
  eachEntry(added, (bin) => (last = Math.max(last, bin)));
  const counts = new Float64Array(last + 1);
  const add = (binary: Buffer, sign: 1 | -1) =>
    eachEntry(binary, (bin, count) => (counts[bin] = (counts[bin] ?? 0) + sign * count));
  add(added, 1);
  if (Buffer.isBuffer(subtracted)) add(subtracted, -1);
  return counts;
}

/** The bin at a rank, counted from 0; undefined beyond the last one. */
export function binAtRank(counts: Counts, rank: number): number | undefined {
  let reached = 0;
  const bin = counts.findIndex((count) => count > 0 && (reached += count) > rank);
  return bin < 0 ? undefined : bin;
}

export const sizeOf = (counts: Counts): number => counts.reduce((sum, count) => sum + count, 0);

/** The bin of the median, at rank ⌊(n − 1) / 2⌋; undefined of nothing. */
export function medianBinIn(found: SqlRow): number | undefined {
  const counts = countsOf(found);
  return binAtRank(counts, Math.floor((sizeOf(counts) - 1) / 2));
}
