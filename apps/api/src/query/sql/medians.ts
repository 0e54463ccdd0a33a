import { COARSE } from '@ledgerline/contracts/read-models/blocks';
import { sessionDurations } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';

/** Which days, and what they are grouped by. */
interface Days {
  readonly grouped: Sql;
  readonly where: Sql;
}

/**
 * The bin of the median duration of each group: the first bin that reaches beyond rank ⌊(n − 1) / 2⌋. The coarse bin it
 * lies in comes first; only that one's bins are read. TRICKY: the offset makes Postgres look each day up in the index.
 */
export function medianBins({ table, website }: QueryContext, { grouped, where }: Days): Sql {
  const durations = table(sessionDurations);
  return sql`
  with coarse as (
    select ${grouped} as grouped, day, bin, sessions::float8 as sessions from ${durations}
    where website = ${website} and width = ${COARSE} and ${where}
  ), reached as (
    select grouped, bin, sum(sessions) as sessions, sum(sum(sessions)) over (partition by grouped order by bin) as reached,
      floor((sum(sum(sessions)) over (partition by grouped) - 1) / 2) as rank
    from coarse group by grouped, bin
  ), fine as (
    select grouped, f.bin,
      sum(sum(f.sessions)) over (partition by grouped order by f.bin) > min(rank - reached + reached.sessions) as is_beyond
    from reached join coarse using (grouped, bin)
    cross join lateral (
      select bin, sessions::float8 as sessions from ${durations}
      where website = ${website} and width = 1 and day = coarse.day
        and bin between coarse.bin and coarse.bin + ${COARSE - 1} offset 0
    ) f
    where reached > rank and reached - reached.sessions <= rank
    group by grouped, f.bin
  )
  select grouped, min(bin) as median_bin from fine where is_beyond group by grouped`;
}
