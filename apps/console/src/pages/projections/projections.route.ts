import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readinessQuery } from '../../api/projections';
import { organizationRoute } from '../../layout/layout.routes';

export const projectionsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'projections',
  loader: ({ context }) => context.queryClient.query({ ...readinessQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./projections.page'), 'ProjectionsPage'),
});
