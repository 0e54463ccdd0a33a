import { createRoute, notFound } from '@tanstack/react-router';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/organization.route';
import { readView } from './view/view-search';

/** The parent of every page of a website; the address holds which events they are about. */
export const websiteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId',
  validateSearch: readView,
  beforeLoad: async ({ context, params }) => {
    const query = { ...websitesQuery(params.organizationId), staleTime: 'static' as const };
    const website = (await context.queryClient.query(query)).find(({ id }) => id === params.websiteId);
    if (!website) throw notFound();
    return { website };
  },
});
