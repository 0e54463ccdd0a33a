import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { orNull, ratio, type Fields, type SqlRow } from '../fields';

/** In percent: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
const PERCENTILES = [50, 75, 90, 95, 99];

const nameOf = (percent: number) => `p${percent}`;

export const percentileFields: Fields = Object.fromEntries(PERCENTILES.map((each) => [nameOf(each), orNull(ratio)]));

/** The percentiles of a group of single values, exactly, as the array `percentiles`. */
export const percentilesOf = (value: Sql): Sql =>
  sql`percentile_disc(${PERCENTILES.map((each) => each / 100)}::float8[]) within group (order by ${value})::float8[] as percentiles`;

/** The fields of {@link percentileFields} from that array, each of its values turned into what it means. */
export function percentilesIn(found: SqlRow, valueOf: (stored: number) => number): Readonly<Record<string, unknown>> {
  const { percentiles } = found;
  if (!Array.isArray(percentiles)) return {};
  const values = (percentiles as readonly number[]).map(valueOf);
  return Object.fromEntries(PERCENTILES.map((each, at) => [nameOf(each), values[at]]));
}
