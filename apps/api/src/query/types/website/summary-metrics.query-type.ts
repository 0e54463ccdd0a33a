import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, estimate, numberIn, percent, seconds } from '../../fields';
import { summary } from '../../session-columns/totals';
import { queryType, type QueryContext } from '../../query-type';
import { medianBins } from '../../sql/medians';
import { singleGroup } from '../../sql/ranked';
import { bounceRate, distinctVisitors, medianDuration } from '../../sql/session-totals';
import { MEDIAN, SESSION_SUMS } from '../../sql/session-totals-from-facts';
import { instant } from '../../sql/series';
import { countedSessionsIn, selectsHits, sessionsIn } from '../../sql/sessions';
import { actionsIn, actionsOf, pageViews, viewsByGroup, viewsOf } from '../../sql/views';

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
  sources: { days: fromDays, facts: fromFacts },
  aggregateInMemory: summary,
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
with medians as (${medianBins(context, { grouped: singleGroup, where: inRange })}
)
select sum(pageviews)::float8 as pageviews, (${distinctVisitors(context)}) as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events + outgoing_links)::float8 as actions
from ${table(websiteDaily)} where website = ${website} and ${inRange}`;
}

function fromFacts(context: QueryContext): Sql {
  return context.filters.some(selectsHits) ? fromHits(context) : fromSessions(context);
}

/** Sessions are read once, and once more for their median. */
function fromSessions(context: QueryContext): Sql {
  const isCounted = sql`s.pageviews > 0 and s.entered_at >= ${instant(context.from)} and s.entered_at < ${instant(context.to)}`;
  return sql`
select sum(pageviews)::float8 as pageviews, (count(visitor) filter (where pageviews > 0))::float8 as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(actions)::float8 as actions,
  (select ${MEDIAN} from ${countedSessionsIn(context)})
from (
  select s.visitor, sum(${viewsOf(context, context)}) as pageviews, count(*) filter (where ${isCounted}) as sessions,
    count(*) filter (where s.bounced and ${isCounted}) as bounces, sum(${actionsOf(context, context)}) as actions
  from ${sessionsIn(context, context)}
  group by s.visitor
) each_visitor`;
}

function fromHits(context: QueryContext): Sql {
  return sql`
with views as (${viewsByGroup(pageViews(context, context, singleGroup))}
), visits as (
  select ${SESSION_SUMS}, ${MEDIAN} from ${countedSessionsIn(context)}
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as unique_visitors, visits.*,
  (${actionsIn(context, context)})::float8 as actions
from visits`;
}
