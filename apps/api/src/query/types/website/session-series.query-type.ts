import { count, estimate, numberIn, orNull, percent, ratio, seconds, text } from '../../fields';
import { series } from '../../session-columns/totals';
import { queryType } from '../../query-type';
import {
  averageDuration,
  bounceRate,
  medianDuration,
  totalsByDay,
  totalsByHour,
  totalsWithMediansByDay,
} from '../../sql/session-totals';
import { totalsFromFacts, totalsWithMediansFromFacts } from '../../sql/session-totals-from-facts';

export const eventsByDate = queryType({
  name: 'events_by_date',
  about: 'website',
  shape: 'series',
  category: 'Summary',
  description: 'Page views, visitors and sessions over time',
  publicAccess: true,
  fields: {
    date: text,
    pageviews: count,
    visitors: count,
    sessions: count,
    bounce_rate: percent,
    median_session_duration: estimate(seconds),
    pages_per_session: ratio,
  },
  sources: { days: totalsWithMediansByDay, facts: totalsWithMediansFromFacts },
  aggregateInMemory: series,
  row(found) {
    const sessions = numberIn(found, 'sessions');
    return {
      bounce_rate: bounceRate(found),
      median_session_duration: medianDuration(found),
      pages_per_session: sessions === 0 ? 0 : Math.round((numberIn(found, 'pageviews') / sessions) * 100) / 100,
    };
  },
});

export const sessionMetrics = queryType({
  name: 'session_metrics',
  about: 'website',
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
  sources: { days: totalsWithMediansByDay, facts: totalsWithMediansFromFacts },
  aggregateInMemory: series,
  row: (found) => ({
    total_sessions: numberIn(found, 'sessions'),
    avg_session_duration: averageDuration(found),
    median_session_duration: medianDuration(found),
    bounce_rate: bounceRate(found),
    total_events: numberIn(found, 'session_events'),
  }),
});

export const sessionsTimeSeries = queryType({
  name: 'sessions_time_series',
  about: 'website',
  shape: 'series',
  category: 'Sessions',
  description: 'Sessions and visitors over time',
  fields: { date: text, sessions: count, visitors: count },
  sources: { days: totalsByDay, hours: totalsByHour, facts: totalsFromFacts },
  aggregateInMemory: series,
});
