import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { isEmbedding } from '@ledgerline/contracts/events/share.events';
import { membersQuery } from '../../api/organizations';
import { sharedDashboardQuery, sharesQuery, trackingHostQuery, websitesQuery } from '../../api/websites';
import { organizationRoute, rootRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';
import { readDashboard } from '../website/dashboard/dashboard-search';
import { readRangeSearch } from '../website/view/view-scope';
import { type RangeSearch, readAddress } from '../website/view/view-search';
import { websiteRoute } from '../website/website.routes';

export const websitesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites',
  /** `search`: a part of the name or domain; the range of the figures. */
  validateSearch: (search): { search?: string } & RangeSearch => ({
    ...optionalText(search, 'search'),
    ...readRangeSearch(search),
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

/** The page of how the script gets into the pages of a website. */
export const installRoute = createRoute({
  getParentRoute: () => websiteRoute,
  path: 'install',
  /** `guide`: for which kind of website. */
  validateSearch: (search): { guide?: string } => optionalText(search, 'guide'),
  loader: ({ context }) => context.queryClient.query({ ...trackingHostQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./install.page'), 'InstallPage'),
});

/** A dashboard for people without an account: the only page at an address that does not begin with that of the console. */
export const sharedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'share/$token',
  /** `embed`: it is in a frame of another page. */
  validateSearch: (search) => ({
    ...readAddress(search),
    ...readDashboard(search),
    ...(isEmbedding(search['embed']) ? { embed: true } : {}),
  }),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...sharedDashboardQuery(params.token), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('../shares/shared.page'), 'SharedPage'),
  errorComponent: lazyRouteComponent(() => import('../shares/shared.page'), 'SharedError'),
});

async function load(
  queryClient: QueryClient,
  { organizationId, websiteId }: Record<'organizationId' | 'websiteId', string>,
) {
  const [websites, shares] = await Promise.all([
    queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...sharesQuery(organizationId, websiteId), staleTime: 'static' }),
  ]);
  const website = websites.find(({ id }) => id === websiteId);
  if (!website) throw notFound();
  return { website, shares };
}

const newRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId/shares/new',
  loader: async ({ context, params }) => (await load(context.queryClient, params)).website,
  component: lazyRouteComponent(() => import('../shares/share-form.page'), 'NewSharePage'),
});

const editRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId/shares/$shareId',
  loader: async ({ context, params }) => {
    const { shares } = await load(context.queryClient, params);
    if (!shares.some(({ id }) => id === params.shareId)) throw notFound();
  },
  component: lazyRouteComponent(() => import('../shares/share-form.page'), 'EditSharePage'),
});

/** The shares of a website; for owners and admins. Its settings list them. */
export const shareRoutes = [newRoute, editRoute];
