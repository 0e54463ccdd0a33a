import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';

/** A row that is to be merged with the others of its website. */
export interface FoundRow {
  readonly website: number;
  /** A bigint. */
  readonly number: string;
  readonly size: number;
}

/** When rows are merged. */
export interface PackingRule {
  /** In bytes: rows of up to so many are of one tier, those of more of the next one, and so on. */
  readonly tiers: readonly number[];
  /** In bytes: rows that are so large are left alone. */
  readonly largest: number;
  /** So many rows of one tier are merged, with all that are smaller. */
  readonly ofTier: number;
  /** A website that has more rows is merged, whatever their sizes. */
  readonly most: number;
}

const KIB = 1024;

/** A byte is written again about as often as there are tiers. */
export const RULE: PackingRule = {
  tiers: [4, 16, 64, 256, 1024, 4096].map((kib) => kib * KIB),
  largest: 8192 * KIB,
  ofTier: 4,
  most: 16,
};

/** The rows that are to be merged now, those of a website one after another and the smallest first; some of them if they are very many. */
export function findRows(
  on: Queryable,
  schema: string,
  { tiers, largest, ofTier, most }: PackingRule,
  limit: number,
): Promise<readonly FoundRow[]> {
  const table = identifier(schema, keptCounts.name);
  const tier = sql`width_bucket(size, ${[...tiers]}::integer[])`;
  return run<FoundRow>(
    on,
    sql`with tiers as (
        select website, ${tier} as tier, count(*) as rows from ${table} where size < ${largest} group by website, tier
      ), chosen as (
        select website, coalesce(max(tier) filter (where rows >= ${ofTier}), max(tier)) as highest
        from tiers group by website having max(rows) >= ${ofTier} or sum(rows) > ${most}
      )
      select website, number::text, size from chosen join ${table} using (website)
      where size < ${largest} and ${tier} <= highest order by website, size limit ${limit}`,
  );
}
