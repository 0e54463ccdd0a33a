import { sessionDurations, websiteDaily, websiteHourly } from '@ledgerline/contracts/read-models/website-totals';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { percentage } from '@ledgerline/domain/query/rows';
import { spanOf } from '@ledgerline/domain/query/series-stretches';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { numberIn, secondsOf, type SqlRow } from '../sql-row';
import type { QueryContext } from '../query-type';
import { medianIn } from './histograms';
import { bucketOf, bucketOfDay, instant, lastDayOf } from './series';

const TOTALS = sql`sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events`;

/** Page views, visitors and sessions of each bucket with their bounces, durations and events, from rollups by day. */
export const totalsByDay = (context: QueryContext): Sql => sql`
select ${bucketOfDay(context, sql`day`)} as bucket, ${TOTALS}
from ${context.table(websiteDaily)} where website = ${context.website} and ${inDaysOf(context)} group by 1`;

/** The same with the durations of each bucket, which is one day. */
export const totalsWithDurationsByDay = (context: QueryContext): Sql => sql`
select totals.*, array_send(bins) as added_bins, null::bytea as subtracted_bins
from (${totalsByDay(context)}) totals
left join (
  select ${bucketOfDay(context, sql`day`)} as bucket, bins from ${context.table(sessionDurations)}
  where website = ${context.website} and span = 1 and ${inDaysOf(context)}
) durations using (bucket)`;

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
export const medianDuration = (found: SqlRow): number | null => secondsOf(medianIn(found, 'median_ms'));

/** Seconds; null without sessions. */
export function averageDuration(found: SqlRow): number | null {
  const sessions = numberIn(found, 'sessions');
  return sessions === 0 ? null : secondsOf(numberIn(found, 'duration_ms') / sessions);
}
