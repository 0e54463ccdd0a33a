import { percentage } from '@ledgerline/domain/query/rows';
import { SCROLL_RANGE_NAMES, scrollRangeName } from '@ledgerline/domain/sessions/scroll-ranges';
import { countOf, leftJoinCounts } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { ascending } from '../../ranked';
import { count, estimate, oneOf, orNull, percent, ratio, seconds } from '../../fields';
import { OF_ALL_VISITORS, OF_SCROLLED_SESSIONS } from '../../share';
import { averageOf, numberIn, numberOrNull, secondsOf, shareOf, type SqlRow } from '../../sql-row';
import { textAs } from '../../labels';
import { queryType } from '../../query-type';
import { listType } from '../../list-type';

const ENGAGEMENT = { category: 'Engagement' } as const;

export const interactionSummary = queryType({
  ...ENGAGEMENT,
  name: 'interaction_summary',
  shape: 'totals',
  description: 'Interactions of the sessions that report an engagement span or a leave',
  fields: {
    avg_interactions: orNull(ratio),
    interactive_sessions: count,
    interaction_rate: percent,
    total_sessions: count,
  },
  sessionColumns: countOf(counts.INTERACTIONS),
  row: (found) => ({
    avg_interactions: averageOf(numberIn(found, 'interactions'), numberIn(found, 'total_sessions')),
    interaction_rate: percentage(numberIn(found, 'interactive_sessions'), numberIn(found, 'total_sessions')),
  }),
});

export const pageTimeAnalysis = listType({
  ...ENGAGEMENT,
  name: 'page_time_analysis',
  description: 'Time on each page, of the visits of which it is known',
  publicAccess: true,
  labels: textAs('name'),
  fields: { sessions_with_time: count, visitors: count, median_time_on_page: estimate(seconds), percentage: percent },
  count: countOf(counts.TIME_ON_PAGES),
  share: OF_ALL_VISITORS,
  row: (found) => ({ median_time_on_page: secondsOf(numberOrNull(found, 'median_ms')) }),
});

export const scrollDepthSummary = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_summary',
  shape: 'totals',
  description: 'How far pages are scrolled: average of the visits of pages, with their sessions and visitors',
  fields: { avg_scroll_depth: orNull(percent), total_sessions: count, visitors: count },
  sessionColumns: countOf(counts.SCROLLING),
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

export const scrollDepthDistribution = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_distribution',
  shape: 'list',
  description: 'Sessions and visitors by how far they scrolled a page; percentage of all sessions with a known depth',
  fields: { depth_range: oneOf(SCROLL_RANGE_NAMES), visitors: count, sessions: count, percentage: percent },
  sessionColumns: ascending(countOf(counts.SCROLL_RANGES), 'place', OF_SCROLLED_SESSIONS),
  row: (found) => ({
    depth_range: scrollRangeName(numberIn(found, 'place')),
    percentage: shareOf(found, OF_SCROLLED_SESSIONS.column),
  }),
});

export const pageScrollPerformance = listType({
  ...ENGAGEMENT,
  name: 'page_scroll_performance',
  description: 'How far each page is scrolled',
  labels: textAs('name'),
  fields: { avg_scroll_depth: orNull(percent), visitors: count, sessions: count, pageviews: count },
  count: leftJoinCounts(
    ['value'],
    countOf(counts.SCROLLED_PAGES),
    countOf({ ...counts.PAGES, measures: { pageviews: counts.PAGES.measures.pageviews } }),
  ),
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

/** Percent with two decimals; null if no depth is known. */
export function averageScroll(found: SqlRow): number | null {
  const [scroll, scrolled] = [numberOrNull(found, 'scroll'), numberIn(found, 'scrolled')];
  return scroll === null || scrolled === 0 ? null : Math.round(scroll / scrolled) / 100;
}
