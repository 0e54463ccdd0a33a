import type { QueryTypeName } from '@ledgerline/client';
import { DASHBOARD_PANELS as PANELS } from '@ledgerline/contracts/events/share.events';
import { listParameter } from '../lists/goal-lens';
import { PANEL_ROWS, reportAt } from '../report/reports';
import { comparisonOf, granularityOf } from '../view/view-scope';
import { readChoiceParam, type ViewSearch } from '../view/view-search';

export const DASHBOARD_METRICS = [
  ['visitors', 'unique_visitors'],
  ['pageviews', 'pageviews'],
  ['sessions', 'sessions'],
  ['bounce_rate', 'bounce_rate'],
  ['median_session_duration', 'median_session_duration'],
] as const;

type Metric = (typeof DASHBOARD_METRICS)[number][0];

/** `metric` is drawn; each panel shows the list that the part with its name says. */
export interface DashboardSearch extends Partial<Record<(typeof PANELS)[number], string>> {
  readonly metric?: Metric;
}

export const readDashboard = (search: Record<string, unknown>): DashboardSearch => ({
  ...readChoiceParam(search, 'metric', DASHBOARD_METRICS),
  ...Object.fromEntries(
    PANELS.flatMap((panel) =>
      Object.entries(
        readChoiceParam(
          search,
          panel,
          listsOf(panel).map((type) => [type] as const),
        ),
      ),
    ),
  ),
});

export const listsOf = (panel: string): readonly QueryTypeName[] => reportAt(panel)?.lists ?? [];

/** Returns what a dashboard asks at first: its figures, their course, and a list for each panel. */
export function dashboardParameters(view: ViewSearch, chosen: DashboardSearch) {
  const lists = PANELS.map((panel) => listsOf(panel).find((type) => type === chosen[panel]) ?? listsOf(panel)[0]);
  return {
    summary: { name: 'summary_metrics', ...comparisonOf(view) },
    series: { name: 'events_by_date', granularity: granularityOf(view), ...comparisonOf(view) },
    active: { name: 'active_stats' },
    lists: lists.flatMap((name) => (name ? [panelParameter(name, view.goal)] : [])),
  } as const;
}

/** Returns the parameters in the order of the request. */
export function firstParameters(view: ViewSearch, chosen: DashboardSearch) {
  const { lists, ...others } = dashboardParameters(view, chosen);
  return [...Object.values(others), ...lists];
}

const panelParameter = (name: QueryTypeName, goal: string | undefined) => ({
  ...listParameter(name, goal).parameter,
  limit: PANEL_ROWS,
});
