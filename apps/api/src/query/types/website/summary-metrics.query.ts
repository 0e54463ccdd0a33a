import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, orNull, percent, seconds } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { medianBins } from '../../sql/medians';
import { EVERYTHING } from '../../sql/ranked';
import { bounceRate, distinctVisitors, medianDuration } from '../../sql/session-totals';
import { MEDIAN, SESSION_SUMS } from '../../sql/session-totals-from-facts';
import { countedSessionsIn } from '../../sql/sessions';
import { actionsIn, pageViews, viewsByGroup } from '../../sql/views';

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
    median_session_duration: orNull(seconds),
    total_events: count,
  },
  sources: { days: fromDays, facts: fromFacts },
  row: (found) => ({
    bounce_rate: bounceRate(found),
    median_session_duration: medianDuration(found),
    total_events: numberIn(found, 'pageviews') + numberIn(found, 'actions'),
  }),
});

function fromDays(context: QueryContext): Sql {
  const { table, website, startDate, endDate } = context;
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`;
  return sql`
with medians as (${medianBins(context, { grouped: EVERYTHING, where: inRange })}
)
select sum(pageviews)::float8 as pageviews, (${distinctVisitors(context)}) as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events + outgoing_links)::float8 as actions
from ${table(websiteDaily)} where website = ${website} and ${inRange}`;
}

function fromFacts(context: QueryContext): Sql {
  return sql`
with views as (${viewsByGroup(pageViews(context, context, EVERYTHING))}
), visits as (
  select ${SESSION_SUMS}, ${MEDIAN} from ${countedSessionsIn(context)}
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as unique_visitors, visits.*,
  (${actionsIn(context, context)})::float8 as actions
from visits`;
}
