import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { membersQuery, organizationsQuery } from '../../api/organizations';
import { organizationRoute, signedInRoute } from '../../layout/layout.routes';

export const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'new-organization',
  loader: ({ context }) => context.queryClient.query({ ...organizationsQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./organization.page'), 'NewOrganizationPage'),
});

export const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'members',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./members.page'), 'MembersPage'),
});

export const organizationSettingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'settings',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./organization.page'), 'OrganizationSettingsPage'),
});
