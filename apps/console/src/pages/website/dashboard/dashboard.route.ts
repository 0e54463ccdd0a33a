import { createRoute } from '@tanstack/react-router';
import { websiteQuery } from '../../../api/website-query';
import { scopeOf } from '../view/view-scope';
import { websiteRoute } from '../website.route';
import { firstParameters, readDashboard } from './dashboard-search';
import { DashboardPage } from './dashboard.page';

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
      (parameter) => queryClient.query(websiteQuery(scopeOf(params.websiteId, deps), parameter)).catch(() => undefined), // shown by its panel
    );
    await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
  },
  component: DashboardPage,
});
