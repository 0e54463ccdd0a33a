import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { membersQuery } from '../../api/members';
import { organizationsQuery } from '../../api/organizations';
import { organizationRoute } from '../../layout/organization.route';
import { signedInRoute } from '../../layout/signed-in.route';

export const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'new-organization',
  loader: ({ context }) => context.queryClient.query({ ...organizationsQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./new-organization.page'), 'NewOrganizationPage'),
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
  component: lazyRouteComponent(() => import('./organization-settings.page'), 'OrganizationSettingsPage'),
});
