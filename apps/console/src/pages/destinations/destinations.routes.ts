import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { recordsQuery } from '../../api/records';
import { organizationRoute } from '../../layout/layout.routes';
import { loadOne } from '../loaders';
import { optionalText } from '../search-params';

const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'destinations',
  component: lazyRouteComponent(() => import('./destinations.page'), 'DestinationsPage'),
});

const newRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'destinations/new',
  /** `monitor`: of which it is told. */
  validateSearch: (search): { monitor?: string } => optionalText(search, 'monitor'),
  component: lazyRouteComponent(() => import('./destination-form.page'), 'NewDestinationPage'),
});

const oneRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'destinations/$destinationId',
  /** `state`, `cursor`: which deliveries are shown. */
  validateSearch: (search): { state?: string; cursor?: string } => ({
    ...optionalText(search, 'state'),
    ...optionalText(search, 'cursor'),
  }),
  loader: ({ context, params }) =>
    loadOne(
      context.queryClient.query({ ...recordsQuery('/v1/destinations', params), staleTime: 'static' }),
      params.destinationId,
    ),
  component: lazyRouteComponent(() => import('./destination.page'), 'DestinationPage'),
});

/** Where an organization sends what happens; for owners and admins. */
export const destinationRoutes = [listRoute, newRoute, oneRoute];
