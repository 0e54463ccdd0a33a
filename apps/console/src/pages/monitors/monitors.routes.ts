import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { monitorReportsQuery, monitorsQuery } from '../../api/monitors';
import { membersQuery } from '../../api/organizations';
import { organizationRoute } from '../../layout/layout.routes';
import { optionalText } from '../search-params';

async function load(queryClient: QueryClient, organizationId: string) {
  const [monitors] = await Promise.all([
    queryClient.query({ ...monitorsQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...monitorReportsQuery(organizationId), staleTime: 'static' }),
    queryClient.query({ ...membersQuery(organizationId), staleTime: 'static' }),
  ]);
  return monitors;
}

export const monitorsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'monitors',
  loader: async ({ context, params }) => void (await load(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('./monitors.page'), 'MonitorsPage'),
});

export const newMonitorRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'monitors/new',
  component: lazyRouteComponent(() => import('./monitor-form.page'), 'NewMonitorPage'),
});

export const monitorRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'monitors/$monitorId',
  /** `days`: of which checks are shown. */
  validateSearch: (search): { days?: string } => optionalText(search, 'days'),
  loader: async ({ context, params }) => {
    const monitors = await load(context.queryClient, params.organizationId);
    if (!monitors.some(({ id }) => id === params.monitorId)) throw notFound();
  },
  component: lazyRouteComponent(() => import('./monitor.page'), 'MonitorPage'),
});
