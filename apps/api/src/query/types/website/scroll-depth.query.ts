import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, numberOrNull, orNull, percent, text, textIn, type SqlRow } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { pageVisitsIn } from '../../sql/page-visits';
import { listed } from '../../sql/listed';
import { viewsByPath } from '../../sql/views';

/** Where the ranges begin, in hundredths of a percent. */
const RANGE_STARTS = [0, 2500, 5000, 7500, 10_000];
const RANGES = ['0-25%', '25-50%', '50-75%', '75-100%', '100%'];

/** What a visit `v` must have. */
const SCROLLED = sql`v.scroll >= 0`;
const SESSIONS = sql`count(distinct (v.visitor, v.session)) filter (where v.session is not null)`;
const VISITORS = sql`count(distinct v.visitor)`;

export const scrollDepthSummary = queryType({
  name: 'scroll_depth_summary',
  about: 'website',
  shape: 'totals',
  category: 'Engagement',
  description: 'How far pages are scrolled: average of the visits of pages, with their sessions and visitors',
  fields: { avg_scroll_depth: orNull(percent), total_sessions: count, visitors: count },
  sources: { facts: summary },
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

export const scrollDepthDistribution = queryType({
  name: 'scroll_depth_distribution',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Sessions and visitors by how far they scrolled a page; percentage of the sessions of all rows',
  fields: { depth_range: text, visitors: count, sessions: count, percentage: percent },
  sources: { facts: distribution },
  row: (found) => ({
    depth_range: RANGES[numberIn(found, 'place') - 1] ?? '',
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
  sources: { facts: byPage },
  row: (found) => ({ name: textIn(found, 'text'), avg_scroll_depth: averageScroll(found) }),
});

/** Percent with two decimals; null if no depth is known. */
export function averageScroll(found: SqlRow): number | null {
  const [scroll, visits] = [numberOrNull(found, 'scroll'), numberIn(found, 'visits')];
  return scroll === null || visits === 0 ? null : Math.round(scroll / visits) / 100;
}

function summary(context: QueryContext): Sql {
  return sql`
select sum(v.scroll)::float8 as scroll, count(*)::float8 as visits, ${SESSIONS}::float8 as total_sessions,
  ${VISITORS}::float8 as visitors
from ${pageVisitsIn(context, context)} and ${SCROLLED}`;
}

function distribution(context: QueryContext): Sql {
  return sql`
select *, sum(sessions) over () as whole
from (
  select width_bucket(v.scroll, ${RANGE_STARTS}::int[]) as place, ${SESSIONS}::float8 as sessions,
    ${VISITORS}::float8 as visitors
  from ${pageVisitsIn(context, context)} and ${SCROLLED}
  group by 1
) r
where sessions > 0
order by place`;
}

function byPage(context: QueryContext): Sql {
  const grouped = sql`
  select visits.*, coalesce(views.pageviews, 0) as pageviews
  from (
    select v.path as value, sum(v.scroll) as scroll, count(*) as visits, ${SESSIONS} as sessions, ${VISITORS} as visitors
    from ${pageVisitsIn(context, context)} and ${SCROLLED}
    group by v.path
  ) visits
  left join (${viewsByPath(context)}) views on views.grouped = visits.value`;
  return listed(grouped, { counts: PAGE_COUNTS, others: ['scroll', 'visits'] }, context);
}
