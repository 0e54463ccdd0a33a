import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { scopeOf } from '../view/view-scope';
import { websiteRoute } from '../website.route';
import { dashboardParameters, readDashboard } from './dashboard-search';

/** Its request is sent while its code is loaded; each panel shows by itself that it waits. */
export const dashboardRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: '/',
  validateSearch: readDashboard,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params, deps }) => {
    const { lists, ...others } = dashboardParameters(deps, deps);
    for (const parameter of [...Object.values(others), ...lists])
      queryClient.query(websiteQuery(scopeOf(params.websiteId, deps), parameter)).catch(() => undefined); // shown by its panel
  },
  component: lazyRouteComponent(() => import('./dashboard.page'), 'DashboardPage'),
});
