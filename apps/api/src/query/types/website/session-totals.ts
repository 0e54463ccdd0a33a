import { websiteDaily, websiteHourly, websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../../question';
import { counted } from '../../sql/blocks';
import { instant } from '../../sql/facts';
import { medianBins } from '../../sql/medians';
import { EVERYTHING } from '../../sql/ranked';
import { bucketOf, bucketOfDay, lastDayOf, spanOf } from '../../sql/series';

const TOTALS = sql`sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events`;

/** Page views, visitors and sessions of each bucket with their bounces, durations and events, from rollups by day. */
export const totalsByDay = (question: WebsiteQuestion): Sql => sql`
select ${bucketOfDay(question, sql`day`)} as bucket, ${TOTALS}
from ${question.table(websiteDaily)} where website = ${question.website} and ${inDaysOf(question)} group by 1`;

/** The same with the median duration of each bucket. */
export const totalsWithMediansByDay = (question: WebsiteQuestion): Sql => sql`
with totals as (${totalsByDay(question)}
), medians as (${medianBins(question, { grouped: bucketOfDay(question, sql`day`), where: inDaysOf(question) })}
)
select totals.*, median_bin::float8 as median_bin from totals left join medians on grouped = bucket`;

const inDaysOf = (question: WebsiteQuestion): Sql =>
  sql`day between ${question.startDate}::date and ${lastDayOf(question)}::date`;

/** The totals by hour. */
export function totalsByHour(question: WebsiteQuestion): Sql {
  const { table, website } = question;
  const { from, to } = spanOf(question);
  return sql`
select ${bucketOf(question, sql`hour`)} as bucket, ${TOTALS}
from ${table(websiteHourly)}
where website = ${website} and hour >= ${instant(from)} and hour < ${instant(to)}
group by 1`;
}

/** Distinct visitors of a range of days. */
export const distinctVisitors = (question: WebsiteQuestion): Sql => sql`
  select coalesce(sum(counted), 0)
  from (${counted(question, websiteVisitors, { column: 'visitors', by: EVERYTHING })}) each_block`;
