import { instantsOf } from '@ledgerline/domain/query/buckets';
import { queryContext } from '@test/query/sql-database';
import type { QueryContext } from '../declaration/query-context';
import { queryTypeNamed, CATALOGUE } from '../types/catalogue';
import { planQuery } from './executors';

const DAYS = { startDate: '2026-03-02', endDate: '2026-03-04' };
const OTHER_ZONE = { zone: 'Asia/Kathmandu', ...instantsOf(DAYS, 'Asia/Kathmandu'), ownZone: 'UTC' };
const by = (field: string): Partial<QueryContext> => ({ filters: [{ field, values: [7], negated: false }] });

/** The questions that are asked. */
const ASKED: readonly (readonly [string, Partial<QueryContext>])[] = [
  ['whole days', {}],
  ['hours', { granularity: 'hourly' }],
  ['another zone', OTHER_ZONE],
  ['hours of another zone', { ...OTHER_ZONE, granularity: 'hourly' }],
  ['a range that ends within a day', { to: Date.parse('2026-03-04T12:00:00Z') }],
  ['a filter on an attribute', by('country')],
  ['a filter on pages', by('path')],
  ['whole days while rollups are being filled', { rollups: new Set<string>() }],
];

describe('the plan of each type', () => {
  it('is a table', () => {
    const table = CATALOGUE.map((type) => {
      const filter = type.takes.ids[0];
      const executors = ASKED.map(([, given]) => {
        const filters = [
          ...(given.filters ?? []),
          ...(filter ? [{ field: filter, values: ['a'], negated: false }] : []),
        ];
        return planQuery(type, queryContext({ ...given, filters, options: type.takes.example ?? {} })).executor.name;
      });
      return [type.name, executors.join(' · ')];
    });
    expect(grouped(table)).toMatchInlineSnapshot(`
{
  "facts · facts · facts · facts · facts · facts · facts · facts": [
    "active_stats",
    "session_events",
    "profile_detail",
    "profile_sessions",
    "realtime_pages",
    "realtime_referrers",
    "realtime_countries",
    "realtime_feed",
    "realtime_sessions",
    "realtime_velocity",
    "link_last_click",
  ],
  "facts · facts · facts · facts · facts · sessionColumns · sessionColumns · facts": [
    "custom_event_properties",
    "custom_events_recent",
    "recent_errors",
  ],
  "facts · facts · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns": [
    "session_list",
    "profile_list",
  ],
  "fifteenMinutes · fifteenMinutes · fifteenMinutes · fifteenMinutes · fifteenMinutes · facts · facts · fifteenMinutes": [
    "link_total_clicks",
    "link_unique_clicks",
    "link_clicks_by_day",
    "link_referrers_by_day",
    "link_countries_by_day",
    "link_top_referrers",
    "link_top_countries",
    "link_top_regions",
    "link_top_cities",
    "link_top_devices",
    "link_top_browsers",
    "uptime_summary",
    "uptime_by_day",
    "response_times",
  ],
  "own · own · own · own · own · own · own · own": [
    "annotations",
  ],
  "rollups · rollups · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns": [
    "summary_metrics",
    "today_metrics",
    "top_pages",
    "entry_pages",
    "exit_pages",
    "page_performance",
    "top_referrers",
    "traffic_sources",
    "channels",
    "utm_sources",
    "utm_mediums",
    "utm_campaigns",
    "utm_terms",
    "utm_content",
    "country",
    "region",
    "city",
    "language",
    "timezone",
    "device_types",
    "browser_name",
    "browser_versions",
    "os_name",
    "screen_resolutions",
    "sessions_by_device",
    "sessions_by_browser",
    "session_duration_distribution",
    "session_flow",
    "custom_events",
    "custom_events_by_path",
    "outbound_links",
    "outbound_domains",
    "downloads",
    "error_summary",
    "error_types",
    "errors_by_page",
    "vitals_overview",
    "vitals_by_page",
    "page_time_analysis",
    "scroll_depth_summary",
    "scroll_depth_distribution",
    "page_scroll_performance",
    "interaction_summary",
    "frustration_by_page",
    "form_abandonment_by_page",
    "engagement_quality_by_page",
  ],
  "rollups · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns": [
    "events_by_date",
    "session_metrics",
    "sessions_time_series",
    "custom_events_trends",
    "error_trends",
    "vitals_time_series",
  ],
  "sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns · sessionColumns": [
    "goals",
    "goals_by_day",
    "goal_by",
    "revenue",
    "link_conversions",
    "funnel",
    "funnel_by_day",
    "funnel_visitors",
    "retention",
    "journeys",
  ],
}
`);
  });

  it('says why', () => {
    const reasonOf = (name: string, given: Partial<QueryContext>) =>
      planQuery(queryTypeNamed(name)!, queryContext(given)).reason;
    expect(reasonOf('country', {})).toBe('whole days in the zone of the website');
    expect(reasonOf('country', { rollups: new Set<string>() })).toBe('rollups are being filled');
    expect(reasonOf('sessions_time_series', { granularity: 'hourly' })).toBe('rollups are by day');
    expect(reasonOf('link_total_clicks', OTHER_ZONE)).toBe('blocks of 15 minutes add up to the days of any zone');
    expect(reasonOf('country', OTHER_ZONE)).toBe('rollups are by days of the zone of the website');
    expect(reasonOf('country', by('path'))).toBe('filters select sessions');
    expect(reasonOf('recent_errors', by('path'))).toBe('filters select sessions');
    expect(reasonOf('recent_errors', OTHER_ZONE)).toBe('without filters facts are read as they are');
    expect(reasonOf('session_list', OTHER_ZONE)).toBe('facts are slow to count or to sort');
    const sortedBy = (field: string) => ({ sort: { field, direction: 'desc' } as const });
    expect(reasonOf('session_list', sortedBy('last_visit'))).toBe('columns do not have what it is sorted by');
    expect(reasonOf('session_list', sortedBy('first_visit'))).toBe('without filters facts are read as they are');
    expect(planQuery(queryTypeNamed('session_list')!, queryContext(sortedBy('duration'))).executor.name).toBe(
      'sessionColumns',
    );
    expect(reasonOf('session_events', by('path'))).toBe('it is not counted from sessions');
  });
});

/** The names of the types that are executed alike. */
function grouped(table: readonly (readonly string[])[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name = '', executors = ''] of table) (groups[executors] ??= []).push(name);
  return groups;
}
