import { aggregate, BUCKET, join } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { percentage } from '@ledgerline/domain/query/rows';
import {
  count,
  countFields,
  estimate,
  numberCell,
  numberOrNull,
  nullableField,
  percent,
  ratio,
  seconds,
  secondsOf,
  textField,
  type SqlRow,
} from '../../declaration/fields';
import { queryType } from '../../declaration/query-type';

const { visitors: _, ...quality } = AGGREGATES.sessions.measures;
const QUALITY = { ...AGGREGATES.sessions, measures: quality };
const SESSIONS = { ...AGGREGATES.sessions, measures: { sessions: 'count' } } as const;

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
  counting: {
    plan: join(
      [],
      aggregate({ ...AGGREGATES.views, measures: { pageviews: 'count', unique_visitors: 'visitors' } }),
      aggregate(QUALITY),
      aggregate({ ...AGGREGATES.custom_events, measures: { custom_events: 'count' } }),
      aggregate(AGGREGATES.outgoing_links),
    ),
  },
  row: (found) => ({
    bounce_rate: bounceRate(found),
    median_session_duration: medianDuration(found),
    total_events:
      numberCell(found, 'pageviews') + numberCell(found, 'custom_events') + numberCell(found, 'outgoing_links'),
  }),
});

export const todayMetrics = queryType({
  name: 'today_metrics',
  shape: 'totals',
  category: 'Summary',
  description: 'Page views, visitors and sessions of today, whatever dates are asked for',
  publicAccess: true,
  range: 'today',
  fields: { pageviews: count, visitors: count, sessions: count },
  counting: { plan: join([], aggregate(AGGREGATES.views), aggregate(SESSIONS)) },
});

const by = { bucket: BUCKET };
const VIEWS = aggregate({ ...AGGREGATES.views, by });

export const eventsByDate = queryType({
  name: 'events_by_date',
  shape: 'series',
  category: 'Summary',
  description: 'Page views, visitors and sessions over time',
  publicAccess: true,
  fields: {
    date: textField,
    ...countFields(['pageviews', 'visitors', 'sessions']),
    bounce_rate: percent,
    median_session_duration: estimate(seconds),
    pages_per_session: ratio,
  },
  counting: { plan: join(['bucket'], VIEWS, aggregate({ ...QUALITY, by })) },
  row(found) {
    const sessions = numberCell(found, 'sessions');
    return {
      bounce_rate: bounceRate(found),
      median_session_duration: medianDuration(found),
      pages_per_session: sessions === 0 ? 0 : Math.round((numberCell(found, 'pageviews') / sessions) * 100) / 100,
    };
  },
});

export const sessionMetrics = queryType({
  name: 'session_metrics',
  shape: 'series',
  category: 'Sessions',
  description: 'Session metrics over time',
  fields: {
    date: textField,
    total_sessions: count,
    avg_session_duration: nullableField(seconds),
    median_session_duration: estimate(seconds),
    bounce_rate: percent,
    total_events: count,
  },
  counting: {
    plan: join(['bucket'], aggregate({ ...QUALITY, by }), aggregate({ ...AGGREGATES.session_events, by })),
  },
  row: (found) => ({
    total_sessions: numberCell(found, 'sessions'),
    avg_session_duration: averageDuration(found),
    median_session_duration: medianDuration(found),
    bounce_rate: bounceRate(found),
    total_events: numberCell(found, 'session_events'),
  }),
});

export const sessionsTimeSeries = queryType({
  name: 'sessions_time_series',
  shape: 'series',
  category: 'Sessions',
  description: 'Sessions and visitors over time',
  fields: { date: textField, sessions: count, visitors: count },
  counting: { plan: join(['bucket'], VIEWS, aggregate({ ...SESSIONS, by })) },
});

const bounceRate = (found: SqlRow): number => percentage(numberCell(found, 'bounces'), numberCell(found, 'sessions'));

/** Seconds; from what is kept within 1 %, from sessions exact; null without sessions. */
const medianDuration = (found: SqlRow): number | null => secondsOf(numberOrNull(found, 'median_ms'));

/** Seconds; null without sessions. */
function averageDuration(found: SqlRow): number | null {
  const count = numberCell(found, 'sessions');
  return count === 0 ? null : secondsOf(numberCell(found, 'duration_ms') / count);
}
