import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { organizationsQuery } from '../../api/organizations';
import { signedInRoute } from '../../layout/layout.routes';

/** Leads to the websites of the first organization; people without one create it. */
export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  loader: async ({ context }) => {
    const [first] = await context.queryClient.query({ ...organizationsQuery, staleTime: 'static' });
    if (!first) throw redirect({ to: '/new-organization', replace: true });
    throw redirect({ to: '/organizations/$organizationId/websites', params: { organizationId: first.id } });
  },
});

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  component: lazyRouteComponent(() => import('./account.page'), 'AccountPage'),
});

/** Mails link to it, with the id of the invitation in the fragment. */
export const invitationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'accept-invitation',
  component: lazyRouteComponent(() => import('../organization/invitations.page'), 'InvitationPage'),
});
