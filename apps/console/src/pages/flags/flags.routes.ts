import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { flagsQuery } from '../../api/flags';
import { membersQuery } from '../../api/organizations';
import { websitesQuery } from '../../api/websites';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';

async function load(queryClient: QueryClient, organizationId: string) {
  const [flags] = await Promise.all([
    queryClient.query({ ...flagsQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...membersQuery(organizationId), staleTime: 'static' }),
  ]);
  return flags;
}

export const flagsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'flags',
  /** `search`: a part of the key or name; `status`: only these, archived ones are left out otherwise. */
  validateSearch: (search): { search?: string; status?: string } => ({
    ...optionalText(search, 'search'),
    ...optionalText(search, 'status'),
  }),
  loader: async ({ context, params }) => void (await load(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('./flags.page'), 'FlagsPage'),
});

export const newFlagRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'flags/new',
  loader: async ({ context, params }) => void (await load(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('./flag-form.page'), 'NewFlagPage'),
});

export const flagRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'flags/$flagId',
  loader: async ({ context, params }) => {
    const flags = await load(context.queryClient, params.organizationId);
    if (!flags.some(({ id }) => id === params.flagId)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./flag.page'), 'FlagPage'),
});
