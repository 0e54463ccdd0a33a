import { emptySql, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { orNull, ratio, type Fields, type SqlRow } from '../fields';

/** In percent: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
const PERCENTILES = [50, 75, 90, 95, 99];

const nameOf = (percent: number) => `p${percent}`;

export const percentileFields: Fields = Object.fromEntries(PERCENTILES.map((each) => [nameOf(each), orNull(ratio)]));

/** The percentiles of a group of single values, exactly, as the array `percentiles`. */
export const percentilesOf = (value: Sql): Sql =>
  sql`percentile_disc(${PERCENTILES.map((each) => each / 100)}::float8[]) within group (order by ${value})::float8[] as percentiles`;

/**
 * The bins that the percentiles of each group lie in, as the array `bins`, with the group's `samples`; from a histogram of
 * rows (the columns of the group, bin, samples), of which there may be several for a bin.
 */
export function percentileBins(histogram: Sql, group: Sql, also: Sql = emptySql): Sql {
  const bins = PERCENTILES.map((each) => sql`min(bin) filter (where reached >= ceil(${each / 100}::float8 * whole))`);
  return sql`
  select ${group}, min(whole) as samples, array[${joinSql(bins, ', ')}]::float8[] as bins${also}
  from (
    select *, sum(samples) over (partition by ${group} order by bin) as reached,
      sum(samples) over (partition by ${group}) as whole
    from (${histogram}) h where samples > 0
  ) r
  group by ${group}`;
}

/** The fields of {@link percentileFields} from either array, what it holds turned into what it means. */
export function percentilesIn(
  { percentiles, bins }: SqlRow,
  valueOf: (stored: number) => number,
  ofBin: (bin: number) => number,
): Readonly<Record<string, unknown>> {
  if (!Array.isArray(percentiles) && !Array.isArray(bins)) return {};
  const stored = Array.isArray(bins) ? (bins as readonly number[]).map(ofBin) : (percentiles as readonly number[]);
  const values = stored.map(valueOf);
  return Object.fromEntries(PERCENTILES.map((each, at) => [nameOf(each), values[at]]));
}
