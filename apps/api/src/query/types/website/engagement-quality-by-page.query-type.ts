import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
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
import { BUSY_PAGES } from '../../counting/busy-pages';
import { beside, counted } from '../../counting/counted';
import { all, COUNT, known, median, of, sum } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays } from '../../sql/rollups';
import { busyPagesByDays } from '../../sql/busy-pages';
import { histogramsByDays, medianIn } from '../../sql/histograms';
import { listed } from '../../sql/listed';
import { among } from '../../sql/page-counts';
import { averageScroll } from './scroll-depth.query-type';

const [isTimed, isScrolled, isCounted] = [known('time_ms'), known('scroll'), known('interactions')];
const visits = counted({
  of: 'visits',
  by: { value: 'path' },
  measures: {
    time_ms: of(isTimed, sum('time_ms')),
    timed: of(isTimed, COUNT),
    scroll: of(isScrolled, sum('scroll')),
    scrolled: of(isScrolled, COUNT),
    interactions: of(isCounted, sum('interactions')),
    interacted: of(isCounted, COUNT),
  },
});

const isActive = known('active_ms');
const isAttentive = all(isActive, isTimed);
const spans = counted({
  of: 'spans',
  by: { value: 'path' },
  measures: {
    active_ms: of(isActive, sum('active_ms')),
    active: of(isActive, COUNT),
    attentive_ms: of(isAttentive, sum('active_ms')),
    attended_ms: of(isAttentive, sum('time_ms')),
    first_interaction_ms: of(known('first_interaction_ms'), median('first_interaction_ms')),
  },
});

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
  sources: { days: byDays },
  sessionColumns: ranked(beside(['value'], BUSY_PAGES, visits, spans), { by: ['page_views'] }),
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
  const columns = { counts: ['page_views'], others: [...OF_VISITS, ...OF_SPANS, 'value'] };
  const first = sql` and value = listed.value::integer`;
  return sql`
with pages as (${busyPagesByDays(context)}
)
select listed.*, first_interactions.*
from (${listed(grouped, columns, context)}) listed
cross join lateral (${histogramsByDays(context, pageEvents, 'first_interaction_bins', first)}) first_interactions`;
}
