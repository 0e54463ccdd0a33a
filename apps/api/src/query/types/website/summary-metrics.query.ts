import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, orNull, percent, seconds } from '../../fields';
import { numberIn } from '../../found';
import { websiteTotals } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn } from '../../sql/facts';
import { medianBins } from '../../sql/medians';
import { EVERYTHING } from '../../sql/ranked';
import { pageViews, viewsByGroup } from '../../sql/views';
import { WEBSITE_FILTERS } from './filters';
import { distinctVisitors } from './session-totals';
import { MEDIAN, SESSION_SUMS } from './session-totals-of-facts';
import { bounceRate, medianDuration } from './session-values';
import { actionsIn } from '../../sql/actions';

export const summaryMetrics = websiteTotals({
  name: 'summary_metrics',
  category: 'Summary',
  meaning: 'Overall website metrics and KPIs',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
  fields: {
    pageviews: count,
    unique_visitors: count,
    sessions: count,
    bounce_rate: percent,
    median_session_duration: orNull(seconds),
    total_events: count,
  },
  answers: { days: fromDays, facts: fromFacts },
  row: (found) => ({
    pageviews: numberIn(found, 'pageviews'),
    unique_visitors: numberIn(found, 'visitors'),
    sessions: numberIn(found, 'sessions'),
    bounce_rate: bounceRate(found),
    median_session_duration: medianDuration(found),
    total_events: numberIn(found, 'pageviews') + numberIn(found, 'actions'),
  }),
});

function fromDays(question: WebsiteQuestion): Sql {
  const { table, website, startDate, endDate } = question;
  const inRange = sql`day between ${startDate}::date and ${endDate}::date`;
  return sql`
with medians as (${medianBins(question, { grouped: EVERYTHING, where: inRange })}
)
select sum(pageviews)::float8 as pageviews, (${distinctVisitors(question)}) as visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events + outgoing_links)::float8 as actions
from ${table(websiteDaily)} where website = ${website} and ${inRange}`;
}

function fromFacts(question: WebsiteQuestion): Sql {
  const { from, to } = question;
  return sql`
with views as (${viewsByGroup(pageViews(question, from, to, EVERYTHING))}
), visits as (
  select ${SESSION_SUMS}, ${MEDIAN} from ${countedSessionsIn(question, from, to)}
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors, visits.*,
  (${actionsIn(question, from, to)})::float8 as actions
from visits`;
}
