import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { organizationRoute } from '../../layout/layout.routes';
import { readAlert } from './alert-search';

const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'alerts',
  component: lazyRouteComponent(() => import('./alerts.page'), 'AlertsPage'),
});

/** `new` is the form of a new one. */
const oneRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'alerts/$alertId',
  validateSearch: readAlert,
  component: lazyRouteComponent(() => import('./alert.page'), 'AlertPage'),
});

/** What is told when figures change. */
export const alertRoutes = [listRoute, oneRoute];
