import { createRouter } from '@tanstack/react-router';
import { NotFound } from './components/not-found';
import { PageSkeleton } from './components/page-skeleton';
import { RouteError } from './components/route-error';
import { BASE } from './layout/base';
import { organizationRoute } from './layout/organization.route';
import { rootRoute } from './layout/root.route';
import { signedInRoute } from './layout/signed-in.route';
import { homeRoute } from './pages/home/home.route';
import { signInRoute } from './pages/sign-in/sign-in.route';
import { websitesRoute } from './pages/websites/websites.route';
import { queryClient } from './query-client';

/** Every page of the console; its code is loaded when it is opened. */
const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([homeRoute, organizationRoute.addChildren([websitesRoute])]),
]);

export const router = createRouter({
  routeTree,
  basepath: BASE,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // how long data is fresh is decided by the queries
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
