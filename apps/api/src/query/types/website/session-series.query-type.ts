import { count, estimate, numberIn, orNull, percent, ratio, seconds, text } from '../../fields';
import { counted, rowsOf, together } from '../../counting/counted';
import { BUCKET } from '../../counting/keys';
import { COUNT, median, sum, VISITORS } from '../../counting/measures';
import { COUNTED_SESSIONS, COUNTED_SESSIONS_WITH_EVENTS } from '../../counting/session-items';
import { queryType } from '../../query-type';
import {
  averageDuration,
  bounceRate,
  medianDuration,
  totalsByDay,
  totalsByHour,
  totalsWithMediansByDay,
} from '../../sql/session-totals';

const by = { bucket: BUCKET };
const VIEWS = counted({ of: 'views', by, measures: { pageviews: COUNT, visitors: VISITORS } });
const QUALITY = { sessions: COUNT, bounces: sum('bounced'), median_ms: median('duration_ms') };

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
  sources: { days: totalsWithMediansByDay },
  sessionColumns: rowsOf(together(['bucket'], VIEWS, counted({ of: COUNTED_SESSIONS, by, measures: QUALITY }))),
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
  sources: { days: totalsWithMediansByDay },
  sessionColumns: rowsOf(
    counted({
      of: COUNTED_SESSIONS_WITH_EVENTS,
      by,
      measures: { ...QUALITY, duration_ms: sum('duration_ms'), session_events: sum('events') },
    }),
  ),
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
  sources: { days: totalsByDay, hours: totalsByHour },
  sessionColumns: rowsOf(
    together(['bucket'], VIEWS, counted({ of: COUNTED_SESSIONS, by, measures: { sessions: COUNT } })),
  ),
});
