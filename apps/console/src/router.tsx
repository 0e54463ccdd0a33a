import { ApiError } from '@ledgerline/client';
import { createRouter } from '@tanstack/react-router';
import { NotFound } from './components/not-found';
import { PageSkeleton } from './components/page-skeleton';
import { RouteError } from './components/route-error';
import { BASE } from './layout/base';
import { organizationRoute } from './layout/organization.route';
import { rootRoute } from './layout/root.route';
import { signedInRoute } from './layout/signed-in.route';
import { accountRoute } from './pages/account/account.route';
import { apiKeyRoutes } from './pages/api-keys/api-keys.route';
import { auditRoute } from './pages/audit/audit.route';
import { flagRoute, flagsRoute, newFlagRoute } from './pages/flags/flags.routes';
import { homeRoute } from './pages/home/home.route';
import { installRoute } from './pages/install/install.route';
import { invitationRoute } from './pages/invitation/invitation.route';
import { linkRoutes } from './pages/links/links.route';
import { monitorRoute, monitorsRoute, newMonitorRoute } from './pages/monitors/monitors.routes';
import {
  membersRoute,
  newOrganizationRoute,
  organizationSettingsRoute,
} from './pages/organization/organization.routes';
import { forgotPasswordRoute, resetPasswordRoute } from './pages/passwords/passwords.routes';
import { projectionsRoute } from './pages/projections/projections.route';
import { signInRoute } from './pages/sign-in/sign-in.route';
import { signUpRoute } from './pages/sign-up/sign-up.route';
import { newStatusPageRoute, statusPageRoute, statusPagesRoute } from './pages/status-pages/status-pages.routes';
import { newWebsiteRoute, websiteSettingsRoute } from './pages/website-settings/website-settings.routes';
import { dashboardRoute } from './pages/website/dashboard/dashboard.route';
import { reportRoute } from './pages/website/report/report.route';
import { sessionRoute, visitorRoute } from './pages/website/visit/visit.routes';
import { websiteRoute } from './pages/website/website.route';
import { websitesRoute } from './pages/websites/websites.route';
import { queryClient } from './query-client';

/** Every page of the console; its code is loaded when it is opened. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  signUpRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
  signedInRoute.addChildren([
    homeRoute,
    accountRoute,
    invitationRoute,
    newOrganizationRoute,
    organizationRoute.addChildren([
      websitesRoute,
      newWebsiteRoute,
      websiteSettingsRoute,
      installRoute,
      websiteRoute.addChildren([dashboardRoute, reportRoute, visitorRoute, sessionRoute]),
      ...linkRoutes,
      ...apiKeyRoutes,
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
  basepath: BASE,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // how long data is fresh is decided by the queries
  defaultPendingComponent: PageSkeleton,
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
