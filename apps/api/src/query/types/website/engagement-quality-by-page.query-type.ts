import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { engagementSpans, pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { run } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  averageOf,
  count,
  estimate,
  milliseconds,
  numberIn,
  orNull,
  percent,
  ratio,
  seconds,
  secondsOf,
  text,
  textIn,
  type SqlRow,
} from '../../fields';
import { busyPagesOf } from '../../session-columns/busy-pages';
import { numbersSql } from '../../session-columns/numbers-sql';
import { visitsByPath } from '../../session-columns/visits';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays } from '../../sql/blocks';
import { busyPages, busyPagesByDays } from '../../sql/busy-pages';
import { eventsIn } from '../../sql/event-facts';
import { histogramsByDays, medianIn } from '../../sql/histograms';
import { listed } from '../../sql/listed';
import { medianOf } from '../../sql/medians';
import { among } from '../../sql/page-counts';
import { pageVisitsIn } from '../../sql/page-visits';
import { averageScroll } from './scroll-depth.query-type';

export const engagementQualityByPage = queryType({
  name: 'engagement_quality_by_page',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Active time, attention ratio and interaction per page, of pages with at least five page views',
  fields: {
    name: text,
    page_views: count,
    avg_time_on_page: orNull(seconds),
    avg_active_time: orNull(seconds),
    attention_ratio: orNull(ratio),
    avg_scroll_depth: orNull(percent),
    avg_interactions: orNull(ratio),
    median_time_to_first_interaction: estimate(milliseconds),
  },
  order: byCounts(['page_views'], 'name'),
  sources: {
    days: byDays,
    facts: (context) => fromFacts(context, { views: busyPages(context), visits: visitsFromFacts(context) }),
  },
  aggregateInMemory: {
    paths: true,
    visits: true,
    isSlow: true,
    rows: (sessions, context, on) =>
      run<SqlRow>(
        on,
        fromFacts(context, {
          views: busyPagesOf(sessions, context),
          visits: sql`select * from ${numbersSql(visitsByPath(sessions), ['value', ...OF_VISITS], 'visited')}`,
        }),
      ),
  },
  row: (found) => ({
    name: textIn(found, 'text'),
    avg_time_on_page: secondsEach(found, 'time_ms', 'timed'),
    avg_active_time: secondsEach(found, 'active_ms', 'active'),
    attention_ratio: averageOf(numberIn(found, 'attentive_ms'), numberIn(found, 'attended_ms')),
    avg_scroll_depth: averageScroll(found),
    avg_interactions: averageOf(numberIn(found, 'interactions'), numberIn(found, 'interacted')),
    median_time_to_first_interaction: medianIn(found, 'first_interaction_ms'),
  }),
});

/** The average of a sum of ms in seconds; null of nothing. */
function secondsEach(found: SqlRow, ms: string, of: string): number | null {
  const whole = numberIn(found, of);
  return whole === 0 ? null : secondsOf(numberIn(found, ms) / whole);
}

const OF_VISITS = ['time_ms', 'timed', 'scroll', 'scrolled', 'interactions', 'interacted'] as const;
const OF_SPANS = ['active_ms', 'active', 'attentive_ms', 'attended_ms'];

/** Times to the first interaction come as histograms, read for the rows of the page alone. */
function byDays(context: QueryContext): Sql {
  const also = among(sql`pages`);
  const grouped = sql`
  select * from pages
  left join (${sumsByDays(context, pageVisits, { columns: OF_VISITS, by: ['value'], also })}) visits using (value)
  left join (${sumsByDays(context, pageEvents, { columns: OF_SPANS, by: ['value'], also })}) spans using (value)`;
  const columns = { counts: ['page_views'], others: [...OF_VISITS, ...OF_SPANS, 'value'], isCounted: true };
  const first = sql` and value = listed.value::integer`;
  return sql`
with pages as (${busyPagesByDays(context)}
)
select listed.*, first_interactions.*
from (${listed(grouped, columns, context)}) listed
cross join lateral (${histogramsByDays(context, pageEvents, 'first_interaction_bins', first)}) first_interactions`;
}

function fromFacts(context: QueryContext, { views, visits }: { readonly views: Sql; readonly visits: Sql }): Sql {
  const grouped = sql`
  select *
  from (${views}) views
  left join (${visits}) visits using (value)
  left join (
    select e.path as value, sum(e.active_ms) as active_ms, count(e.active_ms) as active,
      sum(e.active_ms) filter (where e.time_ms is not null) as attentive_ms,
      sum(e.time_ms) filter (where e.active_ms is not null) as attended_ms,
      ${medianOf(sql`e.first_interaction_ms`)} as first_interaction_ms
    from ${eventsIn(context, engagementSpans, context)}
    group by e.path
  ) spans using (value)`;
  const others = [...OF_VISITS, ...OF_SPANS, 'first_interaction_ms'];
  return listed(grouped, { counts: ['page_views'], others, isCounted: true }, context);
}

const visitsFromFacts = (context: QueryContext): Sql => sql`
  select v.path as value, sum(greatest(v.time_ms, 0)) as time_ms, count(*) filter (where v.time_ms >= 0) as timed,
    sum(greatest(v.scroll, 0)) as scroll, count(*) filter (where v.scroll >= 0) as scrolled,
    sum(greatest(v.interactions, 0)) as interactions, count(*) filter (where v.interactions >= 0) as interacted
  from ${pageVisitsIn(context, context)}
  group by v.path`;
