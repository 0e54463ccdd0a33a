import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { trackingHostQuery } from '../../api/tracking-host';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/organization.route';

/** How the script gets into the pages of a website. */
export const installRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId/install',
  loader: async ({ context: { queryClient }, params: { organizationId, websiteId } }) => {
    const [websites] = await Promise.all([
      queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
      queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
    ]);
    const website = websites.find(({ id }) => id === websiteId);
    if (!website) throw notFound();
    return website;
  },
  component: lazyRouteComponent(() => import('./install.page'), 'InstallPage'),
});
