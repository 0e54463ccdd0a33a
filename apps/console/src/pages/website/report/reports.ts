import type { QueryTypeName } from '@ledgerline/client';

/** A page of a website: its figures, their course, and lists. */
export interface Report {
  /** The last part of its address. */
  readonly path: string;
  readonly title: string;
  readonly lead: string;
  readonly totals?: readonly [type: 'error_summary' | 'interaction_summary', ...fields: string[]];
  readonly series?: readonly [type: 'session_metrics' | 'custom_events_trends' | 'error_trends', field: string];
  /** The first one is shown unless the address names another. */
  readonly lists: readonly [QueryTypeName, ...QueryTypeName[]];
}

export const REPORTS = [
  {
    path: 'pages',
    title: 'Pages',
    lead: 'What is viewed, and where sessions begin and end.',
    lists: ['top_pages', 'entry_pages', 'exit_pages'],
  },
  {
    path: 'sources',
    title: 'Sources',
    lead: 'Where sessions come from: the referrer and campaign of their first page view.',
    lists: ['traffic_sources', 'channels', 'utm_campaigns', 'utm_sources', 'utm_mediums', 'utm_terms', 'utm_content'],
  },
  {
    path: 'places',
    title: 'Places',
    lead: 'Where visitors are, by their address, and what their browser says.',
    lists: ['country', 'region', 'city', 'language', 'timezone'],
  },
  {
    path: 'devices',
    title: 'Devices',
    lead: 'What visitors use, by what their browser says.',
    lists: ['browser_name', 'os_name', 'device_types', 'screen_resolutions'],
  },
  {
    path: 'visitors',
    title: 'Visitors',
    lead: 'Everybody with a session in the range, the newest first.',
    lists: ['profile_list'],
  },
  {
    path: 'sessions',
    title: 'Sessions',
    lead: 'Single visits, the newest first; each opens as a time line.',
    series: ['session_metrics', 'total_sessions'],
    lists: ['session_list', 'session_duration_distribution', 'sessions_by_device', 'sessions_by_browser'],
  },
  {
    path: 'events',
    title: 'Events',
    lead: 'What the website reports itself, with its properties.',
    series: ['custom_events_trends', 'total_events'],
    lists: ['custom_events', 'custom_event_properties', 'custom_events_by_path', 'custom_events_recent'],
  },
  {
    path: 'outgoing',
    title: 'Outgoing',
    lead: 'Clicks on links that lead to other hosts, and downloads.',
    lists: ['outbound_links', 'outbound_domains', 'downloads'],
  },
  {
    path: 'errors',
    title: 'Errors',
    lead: 'JavaScript errors that nothing on the page caught.',
    totals: ['error_summary', 'total_errors', 'unique_errors', 'affected_users', 'affected_sessions', 'error_rate'],
    series: ['error_trends', 'errors'],
    lists: ['recent_errors', 'error_types', 'errors_by_page'],
  },
  {
    path: 'vitals',
    title: 'Vitals',
    lead: 'How fast pages are for visitors, as their browsers measure it.',
    lists: ['vitals_by_page'],
  },
  {
    path: 'engagement',
    title: 'Engagement',
    lead: 'Time, scrolling, interactions, frustration and forms, as pages report them.',
    totals: ['interaction_summary', 'avg_interactions', 'interactive_sessions', 'interaction_rate', 'total_sessions'],
    lists: [
      'page_time_analysis',
      'page_scroll_performance',
      'scroll_depth_distribution',
      'engagement_quality_by_page',
      'frustration_by_page',
      'form_abandonment_by_page',
    ],
  },
  {
    path: 'flow',
    title: 'Flow',
    lead: 'Which pages follow each other in sessions, and which lead to one.',
    lists: ['session_flow'],
  },
] as const satisfies readonly Report[];

export const reportAt = (path: string): Report | undefined => REPORTS.find((report) => report.path === path);

/** The number of rows a panel of the dashboard has. */
export const PANEL_ROWS = 8;
