import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, estimate, numberIn, percent, seconds } from '../../fields';
import { counted, rowsOf, together } from '../../counting/counted';
import { COUNT, median, sum, VISITORS } from '../../counting/measures';
import { COUNTED_SESSIONS } from '../../counting/session-items';
import { sumOf } from '../../counting/tables';
import { queryType, type QueryContext } from '../../query-type';
import { singleGroup } from '../../sql/rollups';
import { medianBins } from '../../sql/medians';
import { bounceRate, distinctVisitors, medianDuration } from '../../sql/session-totals';

export const summaryMetrics = queryType({
  name: 'summary_metrics',
  about: 'website',
  shape: 'totals',
  category: 'Summary',
  description: 'Overall website metrics and KPIs',
  publicAccess: true,
  fields: {
    pageviews: count,
    unique_visitors: count,
    sessions: count,
    bounce_rate: percent,
    median_session_duration: estimate(seconds),
    total_events: count,
  },
  sources: { days: fromDays },
  sessionColumns: rowsOf(
    together(
      [],
      counted({ of: 'views', measures: { pageviews: COUNT, unique_visitors: VISITORS } }),
      counted({
        of: COUNTED_SESSIONS,
        measures: { sessions: COUNT, bounces: sum('bounced'), median_ms: median('duration_ms') },
      }),
      counted({ of: 'custom_events', measures: { custom_events: COUNT } }),
      counted({ of: 'outgoing_links', measures: { outgoing_links: COUNT } }),
    ),
  ),
  row: (found) => ({
    bounce_rate: bounceRate(found),
    median_session_duration: medianDuration(found),
    total_events: sumOf(['pageviews', 'custom_events', 'outgoing_links'].map((name) => numberIn(found, name))),
  }),
});

function fromDays(context: QueryContext): Sql {
  const { table, website, startDate, endDate } = context;
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`;
  return sql`
with medians as (${medianBins(context, { grouped: singleGroup, where: inRange })}
)
select sum(pageviews)::float8 as pageviews, (${distinctVisitors(context)}) as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events)::float8 as custom_events, sum(outgoing_links)::float8 as outgoing_links
from ${table(websiteDaily)} where website = ${website} and ${inRange}`;
}
