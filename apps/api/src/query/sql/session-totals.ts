import { COARSE } from '@ledgerline/contracts/read-models/blocks';
import { sessionDurations, websiteDaily, websiteHourly } from '@ledgerline/contracts/read-models/website-totals';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { percentage } from '@ledgerline/domain/query/rows';
import { spanOf } from '@ledgerline/domain/query/series-stretches';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { numberIn, numberOrNull, secondsOf, type SqlRow } from '../sql-row';
import type { QueryContext } from '../query-type';
import { bucketOf, bucketOfDay, instant, lastDayOf } from './series';

const TOTALS = sql`sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events`;

/** Page views, visitors and sessions of each bucket with their bounces, durations and events, from rollups by day. */
export const totalsByDay = (context: QueryContext): Sql => sql`
select ${bucketOfDay(context, sql`day`)} as bucket, ${TOTALS}
from ${context.table(websiteDaily)} where website = ${context.website} and ${inDaysOf(context)} group by 1`;

/** The same with the median duration of each bucket. */
export const totalsWithMediansByDay = (context: QueryContext): Sql => sql`
with totals as (${totalsByDay(context)}
), medians as (${medianBins(context, { grouped: bucketOfDay(context, sql`day`), where: inDaysOf(context) })}
)
select totals.*, median_bin::float8 as median_bin from totals left join medians on grouped = bucket`;

const inDaysOf = (context: QueryContext): Sql =>
  sql`day between ${context.startDate}::date and ${lastDayOf(context)}::date`;

/** The totals by hour. */
export function totalsByHour(context: QueryContext): Sql {
  const { table, website } = context;
  const { from, to } = spanOf(context);
  return sql`
select ${bucketOf(context, sql`hour`)} as bucket, ${TOTALS}
from ${table(websiteHourly)}
where website = ${website} and hour >= ${instant(from)} and hour < ${instant(to)}
group by 1`;
}

/** Sessions of the days of the range, from a rollup with a row for each day. */
export const sessionsOfDays = (
  { table, website, startDate, endDate }: QueryContext,
  model: ReadModel = websiteDaily,
): Sql => sql`(
    select sum(sessions)::float8 from ${table(model)}
    where website = ${website} and day between ${startDate}::date and ${endDate}::date
  )`;

export const bounceRate = (found: SqlRow): number =>
  percentage(numberIn(found, 'bounces'), numberIn(found, 'sessions'));

/** Seconds; from a histogram within 1 %, from facts exact; null without sessions. */
export function medianDuration(found: SqlRow): number | null {
  if ('median_ms' in found) return secondsOf(numberOrNull(found, 'median_ms'));
  const bin = numberOrNull(found, 'median_bin');
  return secondsOf(bin === null ? null : binValue(bin));
}

/** Seconds; null without sessions. */
export function averageDuration(found: SqlRow): number | null {
  const sessions = numberIn(found, 'sessions');
  return sessions === 0 ? null : secondsOf(numberIn(found, 'duration_ms') / sessions);
}

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
