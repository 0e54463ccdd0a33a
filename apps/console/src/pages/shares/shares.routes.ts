import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { sharedDashboardQuery, sharesQuery, websitesQuery } from '../../api/websites';
import { organizationRoute, rootRoute } from '../../layout/layout.routes';
import { readDashboard } from '../website/dashboard/dashboard-search';
import { readAddress } from '../website/view/view-search';

/** A dashboard for people without an account: the only page at an address that does not begin with that of the console. */
export const sharedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: 'share/$token',
  /** `embed`: it is in a frame of another page. */
  validateSearch: (search) => ({
    ...readAddress(search),
    ...readDashboard(search),
    ...('embed' in search ? { embed: true } : {}),
  }),
  loader: ({ context, params }) =>
    context.queryClient.query({ ...sharedDashboardQuery(params.token), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./shared.page'), 'SharedPage'),
  errorComponent: lazyRouteComponent(() => import('./shared.page'), 'SharedError'),
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
  component: lazyRouteComponent(() => import('./share-form.page'), 'NewSharePage'),
});

const editRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'websites/$websiteId/shares/$shareId',
  loader: async ({ context, params }) => {
    const { shares } = await load(context.queryClient, params);
    if (!shares.some(({ id }) => id === params.shareId)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./share-form.page'), 'EditSharePage'),
});

/** The shares of a website; for owners and admins. Its settings list them. */
export const shareRoutes = [newRoute, editRoute];
