import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';

/** The reports of an organization; `report`: the id of the one that is shown, or `new`. */
export const reportsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'reports',
  validateSearch: (search): { report?: string } => optionalText(search, 'report'),
  component: lazyRouteComponent(() => import('./reports.page'), 'ReportsPage'),
});
