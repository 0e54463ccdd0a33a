import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { membersQuery } from '../../api/organizations';
import { trackingHostQuery, websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';
import { websiteRoute } from '../website/website.routes';
import { readRange } from '../website/view/remembered-view';
import type { RangeSearch } from '../website/view/view-search';

export const websitesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites',
  /** `search`: a part of the name or domain; the range of the figures. */
  validateSearch: (search): { search?: string } & RangeSearch => ({
    ...optionalText(search, 'search'),
    ...readRange(search),
  }),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...websitesQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./websites.page'), 'WebsitesPage'),
});

export const newWebsiteRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/new',
  component: lazyRouteComponent(() => import('./website-form.page'), 'NewWebsitePage'),
});

export const websiteSettingsRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'settings',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./website-settings.page'), 'WebsiteSettingsPage'),
});

/** How the script gets into the pages of a website. */
export const installRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'install',
  /** `guide`: for which kind of website. */
  validateSearch: (search): { guide?: string } => optionalText(search, 'guide'),
  loader: ({ context }) => context.queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./install.page'), 'InstallPage'),
});
