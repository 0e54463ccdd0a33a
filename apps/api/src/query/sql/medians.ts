import { sql, type Sql } from '@ledgerline/platform/database/sql';

/**
 * The bin of the median by group, from rows (grouped, bin, sessions): the first bin that reaches beyond rank
 * ⌊(n − 1) / 2⌋.
 */
export const medianBins = (bins: Sql): Sql => sql`
  select grouped, min(bin) as median_bin
  from (
    select grouped, bin, sum(sessions) over (partition by grouped order by bin) as reached,
      sum(sessions) over (partition by grouped) as total
    from (${bins}) counted
  ) cumulated
  where reached > floor((total - 1) / 2)
  group by grouped`;

/** The same median from single values, exactly. */
export const medianOf = (value: Sql): Sql => sql`percentile_disc(0.5) within group (order by ${value})`;
