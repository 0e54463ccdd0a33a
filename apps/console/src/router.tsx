import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { ApiError } from '@ledgerline/client';
import { sessionQuery } from './api/account';
import { codeOf, isTransient } from './api/failure';
import { NotFound, RouteError } from './components/page';
import { baseOf, organizationRoute, rootRoute, signedInRoute } from './layout/layout.routes';
import {
  accountRoute,
  forgotPasswordRoute,
  homeRoute,
  invitationRoute,
  resetPasswordRoute,
  signInRoute,
  signUpRoute,
} from './pages/account/account.routes';
import { alertRoutes } from './pages/alerts/alerts.routes';
import { destinationRoutes } from './pages/destinations/destinations.routes';
import { linkRoutes } from './pages/links/links.route';
import {
  apiKeyRoutes,
  auditRoute,
  flagRoute,
  flagsRoute,
  membersRoute,
  monitorRoute,
  monitorsRoute,
  newFlagRoute,
  newMonitorRoute,
  newOrganizationRoute,
  newStatusPageRoute,
  organizationSettingsRoute,
  projectionsRoute,
  statusPageRoute,
  statusPagesRoute,
} from './pages/organization/organization.routes';
import { reportsRoute } from './pages/reports/reports.routes';
import { Switcher } from './pages/switcher/switcher';
import {
  dashboardRoute,
  funnelRoute,
  funnelsRoute,
  goalRoute,
  goalsRoute,
  segmentRoute,
  segmentsRoute,
  realtimeRoute,
  reportRoute,
  retentionRoute,
  sessionRoute,
  visitorRoute,
  websiteRoute,
} from './pages/website/website.routes';
import {
  installRoute,
  newWebsiteRoute,
  shareRoutes,
  sharedRoute,
  websiteSettingsRoute,
  websitesRoute,
} from './pages/websites/websites.routes';

const MAX_RETRIES = 2;
const FRESH_MS = 30_000;

/** After a session has ended, the next route leads to the sign-in. */
function forgetEndedSession(error: Error): void {
  if (codeOf(error) === 'AUTH_REQUIRED') queryClient.setQueryData(sessionQuery.queryKey, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: forgetEndedSession }),
  mutationCache: new MutationCache({ onError: forgetEndedSession }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < MAX_RETRIES && isTransient(error),
    },
  },
});

/** Every page of the console; its code is loaded when it is opened. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  sharedRoute,
  signedInRoute.addChildren([
    homeRoute,
    accountRoute,
    invitationRoute,
    newOrganizationRoute,
    organizationRoute.addChildren([
      websitesRoute,
      newWebsiteRoute,
      websiteRoute.addChildren([
        dashboardRoute,
        realtimeRoute,
        goalsRoute,
        goalRoute,
        funnelsRoute,
        funnelRoute,
        segmentsRoute,
        segmentRoute,
        reportRoute,
        retentionRoute,
        visitorRoute,
        sessionRoute,
        installRoute,
        websiteSettingsRoute,
      ]),
      ...shareRoutes,
      ...linkRoutes,
      ...apiKeyRoutes,
      ...alertRoutes,
      ...destinationRoutes,
      reportsRoute,
      auditRoute,
      flagsRoute,
      newFlagRoute,
      flagRoute,
      monitorsRoute,
      newMonitorRoute,
      monitorRoute,
      statusPagesRoute,
      newStatusPageRoute,
      statusPageRoute,
      membersRoute,
      organizationSettingsRoute,
      projectionsRoute,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: baseOf(location.pathname),
  context: { queryClient, Switcher },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // how long data is fresh is decided by the queries
  defaultErrorComponent: RouteError,
  defaultOnCatch: (error) => {
    if (!(error instanceof ApiError)) reportError(error); // a refusal is shown in the page; anything else is a fault of ours
  },
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
