import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { SCROLL_RANGE_STARTS } from '@ledgerline/contracts/read-models/encodings';
import {
  ENGAGED,
  engagedSessions,
  engagedVisitors,
  pageVisits,
} from '@ledgerline/contracts/read-models/website-engagement';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { percentage } from '@ledgerline/domain/query/rows';
import { SCROLL_RANGE_NAMES, scrollRange, scrollRangeName } from '@ledgerline/domain/sessions/scroll-ranges';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, numberOrNull, oneOf, orNull, percent, text, textIn, type SqlRow } from '../../fields';
import { beside, counted, rowsOf } from '../../counting/counted';
import { rangesOf } from '../../counting/keys';
import { COUNT, known, SESSIONS, sum, VISITORS } from '../../counting/measures';
import { ascending, ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { addedUp, distinctCounts, sumsByDays } from '../../sql/rollups';
import { listed } from '../../sql/listed';
import { among, pageCounts } from '../../sql/page-counts';

const where = known('scroll');
const DEPTHS = { scroll: sum('scroll'), scrolled: COUNT, visitors: VISITORS };

export const scrollDepthSummary = queryType({
  name: 'scroll_depth_summary',
  about: 'website',
  shape: 'totals',
  category: 'Engagement',
  description: 'How far pages are scrolled: average of the visits of pages, with their sessions and visitors',
  fields: { avg_scroll_depth: orNull(percent), total_sessions: count, visitors: count },
  sources: { days: summaryByDays },
  sessionColumns: rowsOf(counted({ of: 'visits', where, measures: { ...DEPTHS, total_sessions: SESSIONS } })),
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

export const scrollDepthDistribution = queryType({
  name: 'scroll_depth_distribution',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Sessions and visitors by how far they scrolled a page; percentage of the sessions of all rows',
  fields: { depth_range: oneOf(SCROLL_RANGE_NAMES), visitors: count, sessions: count, percentage: percent },
  sources: { days: distributionByDays },
  sessionColumns: ascending(
    counted({
      of: 'visits',
      by: { place: rangesOf('scroll', scrollRange) },
      where,
      measures: { sessions: SESSIONS, visitors: VISITORS },
    }),
    'place',
    'sessions',
  ),
  row: (found) => ({
    depth_range: scrollRangeName(numberIn(found, 'place')),
    percentage: percentage(numberIn(found, 'sessions'), numberIn(found, 'whole')),
  }),
});

const PAGE_COUNTS = ['visitors', 'sessions', 'pageviews'];

export const pageScrollPerformance = queryType({
  name: 'page_scroll_performance',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'How far each page is scrolled',
  fields: { name: text, avg_scroll_depth: orNull(percent), visitors: count, sessions: count, pageviews: count },
  order: byCounts(PAGE_COUNTS, 'name'),
  sources: { days: byPageAndDays },
  sessionColumns: ranked(
    beside(
      ['value'],
      counted({ of: 'visits', by: { value: 'path' }, where, measures: { ...DEPTHS, sessions: SESSIONS } }),
      counted({ of: 'views', by: { value: 'path' }, measures: { pageviews: COUNT } }),
    ),
    { by: PAGE_COUNTS },
  ),
  row: (found) => ({ name: textIn(found, 'text'), avg_scroll_depth: averageScroll(found) }),
});

/** Percent with two decimals; null if no depth is known. */
export function averageScroll(found: SqlRow): number | null {
  const [scroll, scrolled] = [numberOrNull(found, 'scroll'), numberIn(found, 'scrolled')];
  return scroll === null || scrolled === 0 ? null : Math.round(scroll / scrolled) / 100;
}

function summaryByDays(context: QueryContext): Sql {
  const also = sql` and value = ${ENGAGED.scrolled}`;
  const every = { columns: ['scroll', 'scrolled'], by: ['value'], also: sql` and value = ${EVERY_VALUE}` };
  return sql`
select (select distinct_count from (${distinctCounts(context, engagedSessions, { also })}) s)::float8 as total_sessions,
  (select distinct_count from (${distinctCounts(context, engagedVisitors, { also })}) v)::float8 as visitors,
  scroll, scrolled
from (${sumsByDays(context, pageVisits, every)}) every`;
}

function distributionByDays(context: QueryContext): Sql {
  const also = sql` and value <= ${SCROLL_RANGE_STARTS.length}`;
  return sql`
select s.value::float8 as place, s.distinct_count::float8 as sessions, coalesce(v.distinct_count, 0)::float8 as visitors,
  (sum(s.distinct_count) over ())::float8 as whole
from (${distinctCounts(context, engagedSessions, { also })}) s
left join (${distinctCounts(context, engagedVisitors, { also })}) v using (value)
where s.distinct_count > 0
order by 1`;
}

function byPageAndDays(context: QueryContext): Sql {
  const counts = ['scrolled_visitors', 'scrolled_sessions'] as const;
  const grouped = sql`
  select value, scroll, scrolled, total_rows, coalesce(scrolled_visitors, 0) as visitors,
    coalesce(scrolled_sessions, 0) as sessions, coalesce(pageviews, 0) as pageviews
  from pages left join counted using (value)
  left join (${addedUp(context, topPages, 'pageviews', among(sql`pages`))}) views using (value)`;
  return sql`
with ${pageCounts(context, { visits: 'scrolled', sums: ['scroll'], counts })}${listed(grouped, { counts: PAGE_COUNTS, others: ['scroll', 'scrolled'] }, context)}`;
}
