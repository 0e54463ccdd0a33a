import { count, orNull, percent, seconds, text } from '../../fields';
import { numberIn } from '../../found';
import { websiteSeries } from '../../query-type';
import { WEBSITE_FILTERS } from './filters';
import { totalsWithMediansByDay } from './session-totals';
import { totalsWithMediansFromFacts } from './session-totals-of-facts';
import { averageDuration, bounceRate, medianDuration } from './session-values';

export const sessionMetrics = websiteSeries({
  name: 'session_metrics',
  category: 'Sessions',
  meaning: 'Session metrics over time',
  publicAccess: false,
  allowedFilters: WEBSITE_FILTERS,
  fields: {
    date: text,
    total_sessions: count,
    avg_session_duration: orNull(seconds),
    median_session_duration: orNull(seconds),
    bounce_rate: percent,
    total_events: count,
  },
  answers: { days: totalsWithMediansByDay, facts: totalsWithMediansFromFacts },
  row: (found) => ({
    total_sessions: numberIn(found, 'sessions'),
    avg_session_duration: averageDuration(found),
    median_session_duration: medianDuration(found),
    bounce_rate: bounceRate(found),
    total_events: numberIn(found, 'session_events'),
  }),
});
