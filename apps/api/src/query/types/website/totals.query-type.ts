import { BUCKET } from '@ledgerline/domain/counting/series-bucket';
import { sessionDurations, websiteDaily, websiteVisitors } from '@ledgerline/contracts/read-models/website-totals';
import { dayOf } from '@ledgerline/domain/time/zones';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf, joinCounts } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { count, countFields, estimate, orNull, percent, ratio, seconds, text } from '../../fields';
import { numberIn } from '../../sql-row';
import { queryType, type QueryContext } from '../../query-type';
import { histogramsByDays } from '../../sql/histograms';
import { distinctCount } from '../../sql/rollups';
import * as totals from '../../sql/session-totals';

const { sessions, bounces, median_ms } = counts.VISITS.measures;
const QUALITY = { ...counts.VISITS, measures: { sessions, bounces, median_ms } };
const SESSIONS = { ...counts.VISITS, measures: { sessions } };
const VIEWS_OF_VISITORS = {
  pageviews: counts.VIEWS.measures.pageviews,
  unique_visitors: counts.VIEWS.measures.visitors,
};

const summaryByDays = (context: QueryContext): Sql => sql`
select totals.*, ${distinctCount(context, websiteVisitors, { column: 'visitors' })} as unique_visitors, bins.*
from (
  select sum(pageviews)::float8 as pageviews, sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
    sum(custom_events)::float8 as custom_events, sum(outgoing_links)::float8 as outgoing_links
  from ${context.table(websiteDaily)}
  where website = ${context.website} and day between ${context.startDate}::date and ${context.endDate}::date
) totals cross join (${histogramsByDays(context, sessionDurations, 'bins', emptySql)}) bins`;

export const summaryMetrics = queryType({
  name: 'summary_metrics',
  shape: 'totals',
  category: 'Summary',
  description: 'Overall website metrics and KPIs',
  publicAccess: true,
  fields: {
    ...countFields(['pageviews', 'unique_visitors', 'sessions']),
    bounce_rate: percent,
    median_session_duration: estimate(seconds),
    total_events: count,
  },
  sources: { days: summaryByDays },
  sessionColumns: joinCounts(
    [],
    countOf({ ...counts.VIEWS, measures: VIEWS_OF_VISITORS }),
    countOf(QUALITY),
    countOf({ ...counts.CUSTOM_EVENTS, measures: { custom_events: counts.CUSTOM_EVENTS.measures.custom_events } }),
    countOf(counts.OUTGOING_LINKS),
  ),
  row: (found) => ({
    bounce_rate: totals.bounceRate(found),
    median_session_duration: totals.medianDuration(found),
    total_events: numberIn(found, 'pageviews') + numberIn(found, 'custom_events') + numberIn(found, 'outgoing_links'),
  }),
});

export const todayMetrics = queryType({
  name: 'today_metrics',
  shape: 'totals',
  category: 'Summary',
  description: 'Page views, visitors and sessions of today, whatever dates are asked for',
  publicAccess: true,
  isAboutNow: true,
  daysOf: (now, zone) => ({ startDate: dayOf(now, zone), endDate: dayOf(now, zone) }),
  fields: { pageviews: count, visitors: count, sessions: count },
  sources: {
    days: ({ table, website, startDate }) => sql`
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from ${table(websiteDaily)} where website = ${website} and day = ${startDate}::date`,
  },
  sessionColumns: joinCounts([], countOf(counts.VIEWS), countOf(SESSIONS)),
});

const by = { bucket: BUCKET };
const VIEWS = countOf({ ...counts.VIEWS, by });

export const eventsByDate = queryType({
  name: 'events_by_date',
  shape: 'series',
  category: 'Summary',
  description: 'Page views, visitors and sessions over time',
  publicAccess: true,
  fields: {
    date: text,
    ...countFields(['pageviews', 'visitors', 'sessions']),
    bounce_rate: percent,
    median_session_duration: estimate(seconds),
    pages_per_session: ratio,
  },
  sources: { days: totals.totalsWithDurationsByDay },
  sessionColumns: joinCounts(['bucket'], VIEWS, countOf({ ...QUALITY, by })),
  row(found) {
    const sessions = numberIn(found, 'sessions');
    return {
      bounce_rate: totals.bounceRate(found),
      median_session_duration: totals.medianDuration(found),
      pages_per_session: sessions === 0 ? 0 : Math.round((numberIn(found, 'pageviews') / sessions) * 100) / 100,
    };
  },
});

export const sessionMetrics = queryType({
  name: 'session_metrics',
  shape: 'series',
  category: 'Sessions',
  description: 'Session metrics over time',
  fields: {
    date: text,
    total_sessions: count,
    avg_session_duration: orNull(seconds),
    median_session_duration: estimate(seconds),
    bounce_rate: percent,
    total_events: count,
  },
  sources: { days: totals.totalsWithDurationsByDay },
  sessionColumns: countOf({
    ...counts.SESSION_EVENTS,
    by,
    measures: { ...QUALITY.measures, ...counts.SESSION_EVENTS.measures },
  }),
  row: (found) => ({
    total_sessions: numberIn(found, 'sessions'),
    avg_session_duration: totals.averageDuration(found),
    median_session_duration: totals.medianDuration(found),
    bounce_rate: totals.bounceRate(found),
    total_events: numberIn(found, 'session_events'),
  }),
});

export const sessionsTimeSeries = queryType({
  name: 'sessions_time_series',
  shape: 'series',
  category: 'Sessions',
  description: 'Sessions and visitors over time',
  fields: { date: text, sessions: count, visitors: count },
  sources: { days: totals.totalsByDay, hours: totals.totalsByHour },
  sessionColumns: joinCounts(['bucket'], VIEWS, countOf({ ...SESSIONS, by })),
});
