import { count, orNull, percent, ratio, seconds, text } from '../../fields';
import { numberIn } from '../../found';
import { websiteSeries } from '../../query-type';
import { WEBSITE_FILTERS } from './filters';
import { totalsWithMediansByDay } from './session-totals';
import { totalsWithMediansFromFacts } from './session-totals-of-facts';
import { bounceRate, medianDuration } from './session-values';

export const eventsByDate = websiteSeries({
  name: 'events_by_date',
  category: 'Summary',
  meaning: 'Page views, visitors and sessions over time',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
  fields: {
    date: text,
    pageviews: count,
    visitors: count,
    sessions: count,
    bounce_rate: percent,
    median_session_duration: orNull(seconds),
    pages_per_session: ratio,
  },
  answers: { days: totalsWithMediansByDay, facts: totalsWithMediansFromFacts },
  row(found) {
    const pageviews = numberIn(found, 'pageviews');
    const sessions = numberIn(found, 'sessions');
    return {
      pageviews,
      visitors: numberIn(found, 'visitors'),
      sessions,
      bounce_rate: bounceRate(found),
      median_session_duration: medianDuration(found),
      pages_per_session: sessions === 0 ? 0 : Math.round((pageviews / sessions) * 100) / 100,
    };
  },
});
