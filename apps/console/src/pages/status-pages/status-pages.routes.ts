import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { monitorsQuery } from '../../api/monitors';
import { membersQuery } from '../../api/organizations';
import { incidentsQuery, statusPagesQuery } from '../../api/status-pages';
import { organizationRoute } from '../../layout/layout.routes';

async function load(queryClient: QueryClient, organizationId: string) {
  const [pages] = await Promise.all([
    queryClient.query({ ...statusPagesQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...monitorsQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...membersQuery(organizationId), staleTime: 'static' }),
  ]);
  return pages;
}

export const statusPagesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'status-pages',
  loader: async ({ context, params }) => void (await load(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('./status-pages.page'), 'StatusPagesPage'),
});

export const newStatusPageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'status-pages/new',
  loader: async ({ context, params }) => void (await load(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('./status-page-form.page'), 'NewStatusPagePage'),
});

export const statusPageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'status-pages/$statusPageId',
  loader: async ({ context, params }) => {
    const pages = await load(context.queryClient, params.organizationId);
    if (!pages.some(({ id }) => id === params.statusPageId)) throw notFound();
    await context.queryClient.query({ ...incidentsQuery(params.statusPageId), staleTime: 'static' });
  },
  component: lazyRouteComponent(() => import('./status-page.page'), 'StatusPagePage'),
});
