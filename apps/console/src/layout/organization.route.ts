import { createRoute, notFound } from '@tanstack/react-router';
import { organizationsQuery } from '../api/organizations';
import { signedInRoute } from './signed-in.route';

/** The parent of every page of an organization. */
export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'organizations/$organizationId',
  beforeLoad: async ({ context, params }) => {
    const organizations = await context.queryClient.query({ ...organizationsQuery, staleTime: 'static' });
    const organization = organizations.find(({ id }) => id === params.organizationId);
    if (!organization) throw notFound();
    return { organization };
  },
});
