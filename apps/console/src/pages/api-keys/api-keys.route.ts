import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiKeyQuery, apiKeysQuery } from '../../api/api-keys';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/layout.routes';

const listRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys',
  loader: ({ context, params: { organizationId } }) =>
    Promise.all([
      context.queryClient.query({ ...apiKeysQuery(organizationId), staleTime: 'static' }),
      context.queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('./api-keys.page'), 'ApiKeysPage'),
});

const newRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys/new',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...websitesQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./api-key-form.page'), 'NewApiKeyPage'),
});

const editRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys/$keyId',
  loader: ({ context, params: { organizationId, keyId } }) =>
    Promise.all([
      context.queryClient.query({ ...apiKeyQuery(keyId), staleTime: 'static' }),
      context.queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('./api-key-form.page'), 'EditApiKeyPage'),
});

/** The API keys of an organization; for owners and admins. */
export const apiKeyRoutes = [listRoute, newRoute, editRoute];
