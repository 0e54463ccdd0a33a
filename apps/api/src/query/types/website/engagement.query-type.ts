import { SCROLL_RANGE_STARTS } from '@ledgerline/contracts/read-models/encodings';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import * as rollups from '@ledgerline/contracts/read-models/website-engagement';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { percentage } from '@ledgerline/domain/query/rows';
import { SCROLL_RANGE_NAMES, scrollRangeName } from '@ledgerline/domain/sessions/scroll-ranges';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf, leftJoinCounts } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { ascending } from '../../ranked';
import { count, estimate, oneOf, orNull, percent, ratio, seconds } from '../../fields';
import { OF_ALL_VISITORS, OF_SCROLLED_SESSIONS } from '../../share';
import { averageOf, numberIn, numberOrNull, secondsOf, shareOf, type SqlRow } from '../../sql-row';
import { textAs } from '../../labels';
import { queryType, type QueryContext } from '../../query-type';
import { medianIn } from '../../sql/histograms';
import { distinctOf, rangesByDays, sumsOf } from '../../sql/lists';
import { distinctCount, distinctCounts, sumsByDays } from '../../sql/rollups';
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
  sources: {
    days: (context) => sql`
with counted as (${distinctCounts(context, rollups.engagedSessions, {
      also: sql` and value in (${rollups.ENGAGED.reported}, ${rollups.ENGAGED.interactive})`,
    })}
)
select interactions, (select distinct_count from counted where value = ${rollups.ENGAGED.reported})::float8 as total_sessions,
  (select distinct_count from counted where value = ${rollups.ENGAGED.interactive})::float8 as interactive_sessions
from (${everyVisit(context, 'interactions')}) every`,
  },
  sessionColumns: countOf(counts.INTERACTIONS),
  row: (found) => ({
    avg_interactions: averageOf(numberIn(found, 'interactions'), numberIn(found, 'total_sessions')),
    interaction_rate: percentage(numberIn(found, 'interactive_sessions'), numberIn(found, 'total_sessions')),
  }),
});

/** Sums over the visits of all pages. */
const everyVisit = (context: QueryContext, ...columns: readonly string[]): Sql =>
  sumsByDays(context, rollups.pageVisits, { columns, by: ['value'], also: sql` and value = ${EVERY_VALUE}` });

export const pageTimeAnalysis = listType({
  ...ENGAGEMENT,
  name: 'page_time_analysis',
  description: 'Time on each page, of the visits of which it is known',
  publicAccess: true,
  labels: textAs('name'),
  fields: { sessions_with_time: count, visitors: count, median_time_on_page: estimate(seconds), percentage: percent },
  days: {
    top: sumsOf(rollups.pageVisits, 'timed'),
    bounded: {
      model: rollups.pageVisits,
      columns: { sessions_with_time: 'timed_sessions', visitors: 'timed_visitors' },
    },
    bins: { model: rollups.pageVisits, column: 'time_bins' },
  },
  count: countOf(counts.TIME_ON_PAGES),
  share: OF_ALL_VISITORS,
  row: (found) => ({ median_time_on_page: secondsOf(medianIn(found, 'median_ms')) }),
});

export const scrollDepthSummary = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_summary',
  shape: 'totals',
  description: 'How far pages are scrolled: average of the visits of pages, with their sessions and visitors',
  fields: { avg_scroll_depth: orNull(percent), total_sessions: count, visitors: count },
  sources: {
    days: (context) => sql`
select ${distinctCount(context, rollups.engagedSessions, { value: rollups.ENGAGED.scrolled })} as total_sessions,
  ${distinctCount(context, rollups.engagedVisitors, { value: rollups.ENGAGED.scrolled })} as visitors, scroll, scrolled
from (${everyVisit(context, 'scroll', 'scrolled')}) every`,
  },
  sessionColumns: countOf(counts.SCROLLING),
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

export const scrollDepthDistribution = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_distribution',
  shape: 'list',
  description: 'Sessions and visitors by how far they scrolled a page; percentage of all sessions with a known depth',
  fields: { depth_range: oneOf(SCROLL_RANGE_NAMES), visitors: count, sessions: count, percentage: percent },
  sources: {
    days: rangesByDays(
      distinctOf(rollups.engagedSessions, 'sessions'),
      distinctOf(rollups.engagedVisitors, 'visitors'),
      { wanted: sql` and value <= ${SCROLL_RANGE_STARTS.length}`, whole: OF_SCROLLED_SESSIONS.of.days },
    ),
  },
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
  days: {
    top: sumsOf(rollups.pageVisits, 'scrolled', 'scroll'),
    bounded: { model: rollups.pageVisits, columns: { visitors: 'scrolled_visitors', sessions: 'scrolled_sessions' } },
    parts: [sumsOf(topPages, 'pageviews')],
  },
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
