import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { figuresQuery } from '../../api/figures';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';
import { readCondition } from './conditions/condition-search';
import { firstParameters, readDashboard } from './dashboard/dashboard-search';
import { DashboardPage } from './dashboard/dashboard.page';
import { readFlow, type FlowSearch } from './flow/flow-search';
import { readFunnel } from './funnels/funnel-search';
import { reportAt } from './report/reports';
import { readWebsiteView, scopeOf } from './view/view-scope';
import { pageIn, readListSearch, readRetention, type ListSearch } from './view/view-search';
import { WebsitePages } from './website-pages';

/** The parent of every page of a website; the address holds which events they are about. */
export const websiteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId',
  validateSearch: readWebsiteView,
  beforeLoad: async ({ context, params }) => {
    const query = { ...websitesQuery(params.organizationId), staleTime: 'static' as const };
    const website = (await context.queryClient.query(query)).find(({ id }) => id === params.websiteId);
    if (!website) throw notFound();
    return { website };
  },
  component: WebsitePages,
});

/** So long the page waits for its first answers: what comes at once is not preceded by the sign that it is waited for. */
const PATIENCE_MS = 150;

/** Its request is sent while its code is loaded; each panel shows by itself that it waits. */
export const dashboardRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: '/',
  validateSearch: readDashboard,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params, deps }) => {
    const answers = firstParameters(deps, deps).map(
      (parameter) =>
        queryClient.query(figuresQuery(scopeOf({ website: params.websiteId }, deps), parameter)).catch(() => undefined), // shown by its panel
    );
    await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  },
  component: DashboardPage,
});

/** The page of what happens just now. */
export const realtimeRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'realtime',
  component: lazyRouteComponent(() => import('./realtime/realtime.page'), 'RealtimePage'),
});

export const goalsRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'goals',
  component: lazyRouteComponent(() => import('./goals/goals.page'), 'GoalsPage'),
});

/** `new` is the form of a new one. */
export const goalRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'goals/$goalId',
  validateSearch: readCondition,
  component: lazyRouteComponent(() => import('./goals/goal.page'), 'GoalPage'),
});

export const funnelsRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'funnels',
  validateSearch: pageIn,
  component: lazyRouteComponent(() => import('./funnels/funnels.page'), 'FunnelsPage'),
});

/** `new` is the form of a new one. */
export const funnelRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'funnels/$funnelId',
  validateSearch: readFunnel,
  component: lazyRouteComponent(() => import('./funnels/funnel.page'), 'FunnelPage'),
});

export const segmentsRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'segments',
  component: lazyRouteComponent(() => import('./segments/segments.page'), 'SegmentsPage'),
});

/** `new` is the form of a new one. */
export const segmentRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'segments/$segmentId',
  component: lazyRouteComponent(() => import('./segments/segment.page'), 'SegmentPage'),
});

/** The page of who comes back. */
export const retentionRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'retention',
  validateSearch: readRetention,
  component: lazyRouteComponent(() => import('./retention/retention.page'), 'RetentionPage'),
});

/** The choice of which list of the report is shown, and which metric is drawn. */
interface ReportSearch extends ListSearch, FlowSearch {
  readonly list?: string;
  readonly metric?: string;
}

/** Every report of a website: visitors, sessions, events and so on. */
export const reportRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: '$report',
  validateSearch: (search): ReportSearch => ({
    ...optionalText(search, 'list'),
    ...optionalText(search, 'metric'),
    ...readListSearch(search),
    ...readFlow(search),
  }),
  beforeLoad: ({ params }) => {
    if (!reportAt(params.report)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./report/report.page'), 'ReportPage'),
});

/** One visitor, with their sessions. */
export const visitorRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'visitors/$visitorId',
  validateSearch: pageIn,
  component: lazyRouteComponent(() => import('./visit/visitor.page'), 'VisitorPage'),
});

/** One session, event by event. */
export const sessionRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'sessions/$sessionId',
  validateSearch: pageIn,
  component: lazyRouteComponent(() => import('./visit/session.page'), 'SessionPage'),
});
