import type { QueryTypeName } from '@ledgerline/client';
import {
  ATTRIBUTES,
  LINK_FILTERS,
  WEBSITE_FILTERS,
  type AttributeList,
  type LinkFilterName,
  type ListedAttribute,
  type WebsiteFilterName,
} from '@ledgerline/contracts/attributes';
import { kindOfField } from '../view/filter-fields';
import { metricList, type Label, type ListDeclaration } from './declare-list';

const COUNTS = ['visitors', 'pageviews', 'percentage'] as const;
const label = (header: string): Label => ({ header });
/** Declares the column of an attribute's values, which can be filtered by. */
const attribute = (name: WebsiteFilterName, header: string = ATTRIBUTES[name].label): Label => ({
  header,
  kind: kindOfField(name),
  filter: name,
});
const page = attribute('path');

type DimensionType = 'entry_pages' | 'exit_pages' | (typeof ATTRIBUTES)[ListedFilter]['list']['type'];
type ListedFilter = Extract<WebsiteFilterName, ListedAttribute | 'path'>;
const isListed = (name: WebsiteFilterName): name is ListedFilter => 'list' in ATTRIBUTES[name];

/** Declares the list of a dimension, all of which have the same three counts. */
const dimension = (type: DimensionType, title: string, name: Label) =>
  metricList(type, { title, labels: { name }, figures: COUNTS, share: 'visitors' });

const ofAttribute = (name: ListedFilter) => {
  const { type, title, header }: { type: DimensionType } & AttributeList = ATTRIBUTES[name].list;
  return dimension(type, title, attribute(name, header));
};

/** Declares a list of links: the values of an attribute by their clicks. */
const clicksBy = (name: LinkFilterName) =>
  metricList(ATTRIBUTES[name].linkList, {
    title: ATTRIBUTES[name].list.title,
    labels: { name: attribute(name) },
    figures: ['clicks'],
    share: 'clicks',
  });

const VISIT_LABELS = {
  country: attribute('country'),
  referrer: attribute('referrer'),
  device_type: attribute('device_type'),
  browser_name: attribute('browser_name'),
  os_name: attribute('os_name'),
} as const;

/** The lists of a link. */
export const CLICK_LISTS = LINK_FILTERS.map(clicksBy);

const DECLARED = [
  ...WEBSITE_FILTERS.filter(isListed).map(ofAttribute),
  dimension('entry_pages', 'Entry pages', page),
  dimension('exit_pages', 'Exit pages', page),
  metricList('screen_resolutions', {
    title: 'Screens',
    labels: { name: label('Screen') },
    figures: ['visitors', 'pageviews'],
    share: 'visitors',
  }),
  metricList('custom_events', {
    title: 'Events',
    labels: { name: attribute('event', 'Event') },
    figures: [
      'total_events',
      'unique_users',
      'unique_sessions',
      'events_with_properties',
      'percentage',
      'last_occurrence',
    ],
    share: 'total_events',
  }),
  metricList('custom_events_by_path', {
    title: 'By page',
    labels: { name: page },
    figures: ['total_events', 'unique_event_types', 'unique_users'],
    share: 'total_events',
  }),
  metricList('custom_event_properties', {
    title: 'Properties',
    labels: { name: label('Event'), property_key: label('Property'), property_value: label('Value') },
    figures: ['count', 'numeric_count', 'numeric_sum', 'numeric_average'],
    share: 'count',
  }),
  metricList('custom_events_recent', {
    title: 'Recent',
    labels: {
      event_name: label('Event'),
      timestamp: { header: 'Time', kind: 'time' },
      path: page,
      properties: { header: 'Properties', kind: 'properties' },
      session_id: { header: 'Session', opens: 'session' },
    },
    figures: [],
    sorts: ['timestamp'],
  }),
  metricList('outbound_links', {
    title: 'Outgoing links',
    labels: { href: { header: 'Address', kind: 'address' }, text: label('Text') },
    figures: ['total_clicks', 'unique_users', 'percentage', 'last_clicked'],
    share: 'total_clicks',
  }),
  metricList('outbound_domains', {
    title: 'Outgoing domains',
    labels: { domain: { header: 'Domain', kind: 'host' } },
    figures: ['total_clicks', 'unique_users', 'unique_links', 'percentage'],
    share: 'total_clicks',
  }),
  metricList('downloads', {
    title: 'Downloads',
    labels: { href: { header: 'File', kind: 'address' }, text: label('Text') },
    figures: ['total_clicks', 'unique_users', 'percentage', 'last_clicked'],
    share: 'total_clicks',
  }),
  metricList('session_list', {
    title: 'Sessions',
    labels: {
      session_id: { header: 'Session', opens: 'session' },
      first_visit: { header: 'First event', kind: 'time' },
      ...VISIT_LABELS,
    },
    figures: ['page_views', 'duration'],
    sorts: ['page_views', 'duration', 'first_visit'],
  }),
  metricList('session_duration_distribution', {
    title: 'By duration',
    labels: { duration_range: label('Duration') },
    isScale: true,
    figures: ['sessions', 'visitors'],
    share: 'sessions',
  }),
  metricList('sessions_by_device', {
    title: 'By device',
    labels: { name: attribute('device_type') },
    figures: ['sessions', 'visitors'],
    share: 'sessions',
  }),
  metricList('sessions_by_browser', {
    title: 'By browser',
    labels: { name: attribute('browser_name') },
    figures: ['sessions', 'visitors'],
    share: 'sessions',
  }),
  metricList('profile_list', {
    title: 'Visitors',
    labels: {
      visitor_id: { header: 'Visitor', opens: 'visitor' },
      last_visit: { header: 'Last event', kind: 'time' },
      ...VISIT_LABELS,
    },
    figures: ['session_count', 'total_events', 'unique_pages', 'first_visit'],
    sorts: ['session_count', 'total_events', 'first_visit', 'last_visit'],
  }),
  metricList('error_types', {
    title: 'Types',
    labels: { name: label('Type') },
    figures: ['count', 'users', 'last_seen'],
    share: 'count',
  }),
  metricList('errors_by_page', {
    title: 'By page',
    labels: { name: page },
    figures: ['errors', 'users'],
    share: 'errors',
  }),
  metricList('recent_errors', {
    title: 'Recent',
    labels: {
      message: label('Message'),
      timestamp: { header: 'Time', kind: 'time' },
      error_type: label('Type'),
      path: page,
      browser_name: attribute('browser_name'),
      session_id: { header: 'Session', opens: 'session' },
    },
    figures: [],
    sorts: ['timestamp'],
  }),
  metricList('vitals_by_page', {
    title: 'By page',
    labels: { page, metric_name: label('Metric') },
    figures: ['p50', 'p75', 'p90', 'p95', 'p99', 'samples'],
  }),
  metricList('page_time_analysis', {
    title: 'Time on page',
    labels: { name: page },
    figures: ['median_time_on_page', 'sessions_with_time', 'visitors', 'percentage'],
    share: 'sessions_with_time',
  }),
  metricList('page_scroll_performance', {
    title: 'Scrolling',
    labels: { name: page },
    figures: ['avg_scroll_depth', 'visitors', 'sessions', 'pageviews'],
  }),
  metricList('scroll_depth_distribution', {
    title: 'Scroll depths',
    labels: { depth_range: label('Depth') },
    isScale: true,
    figures: ['sessions', 'visitors', 'percentage'],
    share: 'sessions',
  }),
  metricList('frustration_by_page', {
    title: 'Frustration',
    labels: { name: page },
    minimum: { least: 5, of: 'page views' },
    figures: [
      'page_views',
      'rage_click_rate',
      'dead_click_rate',
      'error_rate',
      'top_rage_click_target',
      'top_dead_click_target',
    ],
  }),
  metricList('form_abandonment_by_page', {
    title: 'Forms',
    labels: { name: page },
    minimum: { least: 5, of: 'form starts' },
    figures: ['form_starts', 'form_submits', 'abandonment_rate', 'top_abandoned_field'],
    share: 'form_starts',
  }),
  metricList('engagement_quality_by_page', {
    title: 'Attention',
    labels: { name: page },
    minimum: { least: 5, of: 'page views' },
    figures: [
      'page_views',
      'avg_time_on_page',
      'avg_active_time',
      'attention_ratio',
      'avg_scroll_depth',
      'avg_interactions',
      'median_time_to_first_interaction',
    ],
  }),
  metricList('session_flow', {
    title: 'Steps',
    labels: { from_path: { ...page, header: 'From' }, to_path: { ...page, header: 'To' } },
    figures: ['transitions', 'sessions'],
    share: 'transitions',
  }),
] as const;

/** Every list of the pages of a website, by its query type. */
const LISTS: ReadonlyMap<string, ListDeclaration> = new Map(DECLARED.map((declared) => [declared.type, declared]));

/** @throws Error for a type that is not declared */
export function listNamed(type: QueryTypeName): ListDeclaration {
  const found = LISTS.get(type);
  if (!found) throw new Error(`No list ${type}`);
  return found;
}
