import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { organizationsQuery } from '../../api/organizations';
import { signedInRoute } from '../../layout/signed-in.route';

/** Leads to the websites of the first organization; people without one stay here. */
export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  loader: async ({ context }) => {
    const [first] = await context.queryClient.query({ ...organizationsQuery, staleTime: 'static' });
    if (first) throw redirect({ to: '/organizations/$organizationId/websites', params: { organizationId: first.id } });
  },
  component: lazyRouteComponent(() => import('./home.page'), 'HomePage'),
});
