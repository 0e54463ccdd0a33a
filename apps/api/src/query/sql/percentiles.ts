import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { columnOf, estimate, ratio, type Fields, type SqlRow } from '../fields';
import { binsAtRanks, countsOf } from './histograms';

/** In percent: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
const PERCENTILES = [50, 75, 90, 95, 99];

const nameOf = (percent: number) => `p${percent}`;

export const percentileFields: Fields = Object.fromEntries(PERCENTILES.map((each) => [nameOf(each), estimate(ratio)]));

/** The percentiles of a group of single values, exactly, as the array `percentiles`. */
export const percentilesOf = (value: Sql): Sql =>
  sql`percentile_disc(${PERCENTILES.map((each) => each / 100)}::float8[]) within group (order by ${value})::float8[] as percentiles`;

/** The fields of {@link percentileFields} from the single values, or from a histogram of them; null of none. */
export function percentilesIn(
  found: SqlRow,
  valueOf: (stored: number) => number,
  ofBin: (bin: number) => number,
): Readonly<Record<string, unknown>> {
  const stored = storedIn(found, ofBin);
  const values = PERCENTILES.map((_, at) => (stored[at] === undefined ? null : valueOf(stored[at])));
  return Object.fromEntries(values.map((value, at) => [nameOf(PERCENTILES[at] ?? 0), value]));
}

function storedIn(found: SqlRow, ofBin: (bin: number) => number): readonly number[] {
  if ('percentiles' in found) return (columnOf(found, 'percentiles') ?? []) as readonly number[];
  const counts = countsOf(found);
  return binsAtRanks(
    counts,
    PERCENTILES.map((each) => Math.ceil((each / 100) * counts.size) - 1),
  ).map(ofBin);
}
