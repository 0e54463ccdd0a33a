import { createRoute } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { scopeOf } from '../view/view-scope';
import { websiteRoute } from '../website.route';
import { firstParameters, readDashboard } from './dashboard-search';
import { DashboardPage } from './dashboard.page';

/** Its request is sent while its code is loaded; each panel shows by itself that it waits. */
export const dashboardRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: '/',
  validateSearch: readDashboard,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params, deps }) => {
    for (const parameter of firstParameters(deps, deps))
      queryClient.query(websiteQuery(scopeOf(params.websiteId, deps), parameter)).catch(() => undefined); // shown by its panel
  },
  component: DashboardPage,
});
