import { CATALOGUE } from './catalogue';

describe('the catalogue of query types', () => {
  it('has every type of the contract', () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect([...WEBSITE, ...LINK, ...MONITOR].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => ![...WEBSITE, ...LINK, ...MONITOR].includes(name))).toEqual([]);
  });

  const publicTypes = CATALOGUE.filter(({ publicAccess }) => publicAccess);

  it.each(publicTypes.map((type) => [type.name, type] as const))(
    'shows no single visitor, session or event, and no value of a property, in public: %s',
    (_, { about, fields, requiredFilters, sortedBySql }) => {
      expect(about).toBe('website');
      expect(Object.keys(fields).filter((name) => OF_ONE.includes(name))).toEqual([]);
      expect({ requiredFilters, sortedBySql }).toEqual({ requiredFilters: [], sortedBySql: undefined });
    },
  );

  const ranked = CATALOGUE.filter(({ shape, order }) => shape === 'list' && order[0]?.direction === 'desc');

  it.each(ranked.map((type) => [type.name, type] as const))(
    'orders ties by every further count, in the order of the fields: %s',
    (_, { fields, order }) => {
      const counts = Object.keys(fields).filter((name) => fields[name]?.type === 'integer');
      const texts = order.slice(counts.length).map(({ field }) => fields[field]?.type);
      expect(order.slice(0, counts.length)).toEqual(counts.map((field) => ({ field, direction: 'desc' })));
      expect(new Set(texts)).toEqual(new Set(['string']));
    },
  );

  it('has the fields that no public type may show', () => {
    const names = new Set(CATALOGUE.flatMap(({ fields }) => Object.keys(fields)));
    expect(OF_ONE.filter((name) => !names.has(name))).toEqual([]);
  });
});

/** Fields of rows about one visitor, session or event, and what visitors and programs write into events. */
const OF_ONE: readonly string[] = [
  ...['visitor_id', 'session_id', 'event_id', 'profile_id', 'display_name'],
  ...['time', 'timestamp', 'first_visit', 'last_visit', 'events'],
  ...['properties', 'property_key', 'property_value'],
  ...['message', 'stack', 'filename', 'lineno', 'colno'],
];

const WEBSITE: readonly string[] = [
  ...['summary_metrics', 'today_metrics', 'active_stats', 'events_by_date'],
  ...['top_pages', 'entry_pages', 'exit_pages', 'page_performance', 'page_time_analysis'],
  ...['traffic_sources', 'top_referrers'],
  ...['utm_sources', 'utm_mediums', 'utm_campaigns', 'utm_terms', 'utm_content'],
  ...['browser_name', 'browser_versions', 'os_name', 'device_types', 'screen_resolutions', 'language', 'timezone'],
  ...['country', 'region', 'city'],
  ...['recent_errors', 'error_summary', 'error_types', 'errors_by_page', 'error_trends'],
  ...['vitals_overview', 'vitals_by_page', 'vitals_time_series'],
  ...['session_metrics', 'session_list', 'session_duration_distribution', 'session_flow', 'session_events'],
  ...['sessions_by_device', 'sessions_by_browser', 'sessions_time_series'],
  ...['custom_events', 'custom_events_trends', 'custom_event_properties', 'custom_events_by_path'],
  ...['custom_events_recent', 'profile_list', 'profile_detail', 'profile_sessions'],
  ...['outbound_links', 'outbound_domains'],
  ...['scroll_depth_summary', 'scroll_depth_distribution', 'page_scroll_performance', 'interaction_summary'],
  ...['frustration_by_page', 'form_abandonment_by_page', 'engagement_quality_by_page'],
  ...['realtime_pages', 'realtime_referrers', 'realtime_countries', 'realtime_feed', 'realtime_velocity'],
];

const LINK: readonly string[] = [
  ...[
    'link_total_clicks',
    'link_unique_clicks',
    'link_clicks_by_day',
    'link_referrers_by_day',
    'link_countries_by_day',
  ],
  ...['link_top_referrers', 'link_top_countries', 'link_top_regions', 'link_top_cities'],
  ...['link_top_devices', 'link_top_browsers'],
];

const MONITOR: readonly string[] = ['uptime_summary', 'uptime_by_day', 'response_times'];
