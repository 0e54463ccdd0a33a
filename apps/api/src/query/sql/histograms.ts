import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { addHistograms, binOf, countOf, histogramIn, type Histogram } from '@ledgerline/platform/database/histogram';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { SqlRow } from '../fields';
import type { QueryContext } from '../query-type';
import { wholeBlocks } from './blocks';

/** The histograms of a column over the days of the range as one row of `histograms` and their `signs`. */
export const histogramsByDays = (context: QueryContext, model: ReadModel, column: string, also: Sql): Sql => sql`
    select array_agg(array_send(bins)) as histograms, array_agg(b.sign) as signs
    from ${wholeBlocks(context, model, { columns: sql`${identifier(column)} as bins`, also })}`;

/** Their sum. */
export function histogramOf({ histograms, signs }: SqlRow): Histogram {
  if (!Array.isArray(histograms)) return [];
  return (histograms as readonly Buffer[]).reduce<Histogram>((sum, binary, at) => {
    const sign = Array.isArray(signs) ? (signs as readonly (1 | -1)[])[at] : 1;
    return addHistograms(sum, histogramIn(binary), sign);
  }, []);
}

/** The bin at a rank, counted from 0; undefined beyond the last one. */
export function binAtRank(bins: Histogram, rank: number): number | undefined {
  let reached = 0;
  const entry = bins.find((each) => (reached += countOf(each)) > rank);
  return entry === undefined ? undefined : binOf(entry);
}

export const sizeOf = (bins: Histogram): number => bins.reduce((sum, entry) => sum + countOf(entry), 0);

/** The bin of the median, at rank ⌊(n − 1) / 2⌋; undefined of nothing. */
export function medianBinIn(found: SqlRow): number | undefined {
  const bins = histogramOf(found);
  return binAtRank(bins, Math.floor((sizeOf(bins) - 1) / 2));
}
