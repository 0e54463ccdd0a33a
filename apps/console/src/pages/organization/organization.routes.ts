import type { QueryClient } from '@tanstack/react-query';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiKeyQuery, apiKeysQuery } from '../../api/api-keys';
import { flagsQuery } from '../../api/flags';
import { monitorReportsQuery, monitorsQuery } from '../../api/monitors';
import { membersQuery, organizationsQuery } from '../../api/organizations';
import { readinessQuery } from '../../api/projections';
import { incidentsQuery, statusPagesQuery } from '../../api/status-pages';
import { websitesQuery } from '../../api/websites';
import { organizationRoute, signedInRoute } from '../../layout/layout.routes';
import { type AuditSearch, auditSearch } from '../audit/audit-search';
import { loadOne } from '../loaders';
import { optionalText } from '../search-params';

export const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'new-organization',
  loader: ({ context }) => context.queryClient.query({ ...organizationsQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./organization.page'), 'NewOrganizationPage'),
});

export const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'members',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./members.page'), 'MembersPage'),
});

export const organizationSettingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'settings',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...membersQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('./organization.page'), 'OrganizationSettingsPage'),
});

const apiKeysRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys',
  loader: ({ context, params: { organizationId } }) =>
    Promise.all([
      context.queryClient.query({ ...apiKeysQuery(organizationId), staleTime: 'static' }),
      context.queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('../api-keys/api-keys.page'), 'ApiKeysPage'),
});

const newApiKeyRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys/new',
  loader: ({ context, params }) =>
    context.queryClient.query({ ...websitesQuery(params.organizationId), staleTime: 'static' }),
  component: lazyRouteComponent(() => import('../api-keys/api-key-form.page'), 'NewApiKeyPage'),
});

const apiKeyRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'api-keys/$keyId',
  loader: ({ context, params: { organizationId, keyId } }) =>
    Promise.all([
      context.queryClient.query({ ...apiKeyQuery(keyId), staleTime: 'static' }),
      context.queryClient.query({ ...websitesQuery(organizationId), staleTime: 'static' }),
    ]),
  component: lazyRouteComponent(() => import('../api-keys/api-key-form.page'), 'EditApiKeyPage'),
});

/** The API keys of an organization; for owners and admins. */
export const apiKeyRoutes = [apiKeysRoute, newApiKeyRoute, apiKeyRoute];

/** For owners and admins. */
export const auditRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'audit',
  validateSearch: (search): AuditSearch => auditSearch(search),
  component: lazyRouteComponent(() => import('../audit/audit.page'), 'AuditPage'),
});

export const projectionsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'projections',
  loader: ({ context }) => context.queryClient.query({ ...readinessQuery, staleTime: 'static' }),
  component: lazyRouteComponent(() => import('../projections/projections.page'), 'ProjectionsPage'),
});

async function loadFlags(queryClient: QueryClient, organizationId: string) {
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
  loader: async ({ context, params }) => void (await loadFlags(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('../flags/flags.page'), 'FlagsPage'),
});

export const newFlagRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'flags/new',
  loader: async ({ context, params }) => void (await loadFlags(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('../flags/flag-form.page'), 'NewFlagPage'),
});

export const flagRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'flags/$flagId',
  loader: ({ context, params }) => loadOne(loadFlags(context.queryClient, params.organizationId), params.flagId),
  component: lazyRouteComponent(() => import('../flags/flag.page'), 'FlagPage'),
});

async function loadMonitors(queryClient: QueryClient, organizationId: string) {
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
  loader: async ({ context, params }) => void (await loadMonitors(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('../monitors/monitors.page'), 'MonitorsPage'),
});

export const newMonitorRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'monitors/new',
  component: lazyRouteComponent(() => import('../monitors/monitor-form.page'), 'NewMonitorPage'),
});

export const monitorRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'monitors/$monitorId',
  /** `days`: of which checks are shown. */
  validateSearch: (search): { days?: string } => optionalText(search, 'days'),
  loader: ({ context, params }) => loadOne(loadMonitors(context.queryClient, params.organizationId), params.monitorId),
  component: lazyRouteComponent(() => import('../monitors/monitor.page'), 'MonitorPage'),
});

async function loadStatusPages(queryClient: QueryClient, organizationId: string) {
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
  loader: async ({ context, params }) => void (await loadStatusPages(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('../status-pages/status-pages.page'), 'StatusPagesPage'),
});

export const newStatusPageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'status-pages/new',
  loader: async ({ context, params }) => void (await loadStatusPages(context.queryClient, params.organizationId)),
  component: lazyRouteComponent(() => import('../status-pages/status-page-form.page'), 'NewStatusPagePage'),
});

export const statusPageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'status-pages/$statusPageId',
  loader: async ({ context, params }) => {
    await loadOne(loadStatusPages(context.queryClient, params.organizationId), params.statusPageId);
    await context.queryClient.query({ ...incidentsQuery(params.statusPageId), staleTime: 'static' });
  },
  component: lazyRouteComponent(() => import('../status-pages/status-page.page'), 'StatusPagePage'),
});
