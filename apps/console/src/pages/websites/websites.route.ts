import { createRoute } from '@tanstack/react-router';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/organization.route';
import { optionalText } from '../search-params';
import { WebsitesPage } from './websites.page';

export const websitesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites',
  /** `search`: a part of the name or domain. */
  validateSearch: (search): { search?: string } => optionalText(search, 'search'),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...websitesQuery(params.organizationId), staleTime: 'static' }),
  component: WebsitesPage,
});
