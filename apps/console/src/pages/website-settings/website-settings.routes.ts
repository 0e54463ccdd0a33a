import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { membersQuery } from '../../api/members';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/organization.route';

export const newWebsiteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/new',
  component: lazyRouteComponent(() => import('./new-website.page'), 'NewWebsitePage'),
});

export const websiteSettingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId/settings',
  loader: async ({ context, params }) => {
    const [websites] = await Promise.all([
      context.queryClient.query({ ...websitesQuery(params.organizationId), staleTime: 'static' }),
      context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
    ]);
    if (!websites.some(({ id }) => id === params.websiteId)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./website-settings.page'), 'WebsiteSettingsPage'),
});
