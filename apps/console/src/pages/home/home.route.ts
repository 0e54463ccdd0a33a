import { createRoute, redirect } from '@tanstack/react-router';
import { organizationsQuery } from '../../api/organizations';
import { signedInRoute } from '../../layout/signed-in.route';

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
