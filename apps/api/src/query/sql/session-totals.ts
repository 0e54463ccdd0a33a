import { websiteDaily, websiteHourly, websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { percentage } from '@ledgerline/domain/query/rows';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { spanOf } from '@ledgerline/domain/query/series-stretches';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { numberIn, numberOrNull, secondsOf, type SqlRow } from '../fields';
import type { QueryContext } from '../query-type';
import { signedDistinctRows, singleGroup } from './rollups';
import { medianBins } from './medians';
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

/** Distinct visitors of a range of days. */
export const distinctVisitors = (context: QueryContext): Sql => sql`
  select coalesce(sum(visitors), 0)
  from (${signedDistinctRows(context, websiteVisitors, { columns: ['visitors'], by: singleGroup })}) each_block`;

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
