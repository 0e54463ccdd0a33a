import { aggregate, leftJoin } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { SCROLL_RANGE_NAMES, scrollRangeName } from '@ledgerline/contracts/sessions/session';
import { percentage } from '@ledgerline/domain/query/rows';
import {
  atLeast,
  averageOf,
  count,
  estimate,
  millisecondsField,
  numberCell,
  numberOrNull,
  enumField,
  nullableField,
  percent,
  ratio,
  seconds,
  secondsOf,
  shareOf,
  textField,
  textAs,
  type SqlRow,
} from '../../declaration/fields';
import { OF_ALL_VISITORS, OF_SCROLLED_SESSIONS, listQueryType } from '../../declaration/list-type';
import { queryType } from '../../declaration/query-type';

const ENGAGEMENT = { category: 'Engagement' } as const;

export const interactionSummary = queryType({
  ...ENGAGEMENT,
  name: 'interaction_summary',
  shape: 'totals',
  description: 'Interactions of the sessions that report an engagement span or a leave',
  fields: {
    avg_interactions: nullableField(ratio),
    interactive_sessions: count,
    interaction_rate: percent,
    total_sessions: count,
  },
  counting: { plan: aggregate(AGGREGATES.interactions) },
  row: (found) => ({
    avg_interactions: averageOf(numberCell(found, 'interactions'), numberCell(found, 'total_sessions')),
    interaction_rate: percentage(numberCell(found, 'interactive_sessions'), numberCell(found, 'total_sessions')),
  }),
});

export const pageTimeAnalysis = listQueryType({
  ...ENGAGEMENT,
  name: 'page_time_analysis',
  description: 'Time on each page, of the visits of which it is known',
  publicAccess: true,
  labels: textAs('name'),
  fields: { sessions_with_time: count, visitors: count, median_time_on_page: estimate(seconds), percentage: percent },
  count: aggregate(AGGREGATES.time_on_pages),
  share: OF_ALL_VISITORS,
  row: (found) => ({ median_time_on_page: secondsOf(numberOrNull(found, 'median_ms')) }),
});

export const scrollDepthSummary = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_summary',
  shape: 'totals',
  description: 'How far pages are scrolled: average of the visits of pages, with their sessions and visitors',
  fields: { avg_scroll_depth: nullableField(percent), total_sessions: count, visitors: count },
  counting: { plan: aggregate(AGGREGATES.scrolling) },
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

export const scrollDepthDistribution = queryType({
  ...ENGAGEMENT,
  name: 'scroll_depth_distribution',
  shape: 'list',
  description: 'Sessions and visitors by how far they scrolled a page; percentage of all sessions with a known depth',
  fields: { depth_range: enumField(SCROLL_RANGE_NAMES), visitors: count, sessions: count, percentage: percent },
  counting: {
    plan: { kind: 'sort', of: aggregate(AGGREGATES.scroll_ranges), by: 'place', share: OF_SCROLLED_SESSIONS },
  },
  row: (found) => ({
    depth_range: scrollRangeName(numberCell(found, 'place')),
    percentage: shareOf(found, OF_SCROLLED_SESSIONS.column),
  }),
});

export const pageScrollPerformance = listQueryType({
  ...ENGAGEMENT,
  name: 'page_scroll_performance',
  description: 'How far each page is scrolled',
  labels: textAs('name'),
  fields: { avg_scroll_depth: nullableField(percent), visitors: count, sessions: count, pageviews: count },
  count: leftJoin(
    ['value'],
    aggregate(AGGREGATES.scrolled_pages),
    aggregate({ ...AGGREGATES.pages, measures: { pageviews: 'count' } }),
  ),
  row: (found) => ({ avg_scroll_depth: averageScroll(found) }),
});

/** Percent with two decimals; null if no depth is known. */
function averageScroll(found: SqlRow): number | null {
  const scroll = numberOrNull(found, 'scroll');
  const scrolled = numberCell(found, 'scrolled');
  return scroll === null || scrolled === 0 ? null : Math.round(scroll / scrolled) / 100;
}

const BY_PAGE = { category: 'Engagement', labels: textAs('name') } as const;

/** With so many page views the rates of a page mean something. */
const PAGE_VIEWS = atLeast(5);
const BUSY_PAGES = aggregate({
  ...AGGREGATES.pages,
  measures: { page_views: 'count', visitors: 'visitors' },
  enough: 'page_views',
});

const perView = (found: SqlRow, clicks: string): number =>
  percentage(numberCell(found, clicks), numberCell(found, 'page_views'));

export const frustrationByPage = listQueryType({
  ...BY_PAGE,
  name: 'frustration_by_page',
  description: 'Rage clicks, dead clicks and errors per page view',
  fields: {
    page_views: PAGE_VIEWS,
    visitors: count,
    rage_click_rate: percent,
    dead_click_rate: percent,
    error_rate: percent,
    top_dead_click_target: nullableField(textField),
    top_rage_click_target: nullableField(textField),
  },
  count: leftJoin(
    ['value'],
    BUSY_PAGES,
    aggregate(AGGREGATES.frustration),
    aggregate({ ...AGGREGATES.error_pages, measures: { errors: 'count' } }),
  ),
  mostFrequent: {
    top_dead_click_target: AGGREGATES.dead_targets,
    top_rage_click_target: AGGREGATES.rage_targets,
  },
  row: (found) => ({
    rage_click_rate: perView(found, 'rage_clicks'),
    dead_click_rate: perView(found, 'dead_clicks'),
    error_rate: perView(found, 'errors'),
  }),
});

export const formAbandonmentByPage = listQueryType({
  ...BY_PAGE,
  name: 'form_abandonment_by_page',
  description: 'Form starts, submits and the field visitors stop on',
  fields: {
    form_starts: atLeast(5),
    form_submits: count,
    abandonment_rate: percent,
    top_abandoned_field: nullableField(textField),
  },
  count: aggregate({ ...AGGREGATES.forms, enough: 'form_starts' }),
  mostFrequent: { top_abandoned_field: AGGREGATES.abandoned_fields },
  row(found) {
    const starts = numberCell(found, 'form_starts');
    const submits = numberCell(found, 'form_submits');
    return { abandonment_rate: percentage(Math.max(starts - submits, 0), starts) };
  },
});

/** The average of a sum of ms in seconds; null of nothing. */
function secondsEach(found: SqlRow, ms: string, each: string): number | null {
  const whole = numberCell(found, each);
  return whole === 0 ? null : secondsOf(numberCell(found, ms) / whole);
}

export const engagementQualityByPage = listQueryType({
  ...BY_PAGE,
  name: 'engagement_quality_by_page',
  description: 'Active time, attention ratio and interaction per page',
  fields: {
    page_views: PAGE_VIEWS,
    avg_time_on_page: nullableField(seconds),
    avg_active_time: nullableField(seconds),
    attention_ratio: nullableField(ratio),
    avg_scroll_depth: nullableField(percent),
    avg_interactions: nullableField(ratio),
    median_time_to_first_interaction: estimate(millisecondsField),
  },
  count: leftJoin(['value'], BUSY_PAGES, aggregate(AGGREGATES.visits_of_pages), aggregate(AGGREGATES.attention)),
  row: (found) => ({
    avg_time_on_page: secondsEach(found, 'time_ms', 'timed'),
    avg_active_time: secondsEach(found, 'active_ms', 'active'),
    attention_ratio: averageOf(numberCell(found, 'attentive_ms'), numberCell(found, 'attended_ms')),
    avg_scroll_depth: averageScroll(found),
    avg_interactions: averageOf(numberCell(found, 'interactions'), numberCell(found, 'interacted')),
    median_time_to_first_interaction: numberOrNull(found, 'first_interaction_ms'),
  }),
});
