import { queryOptions } from '@tanstack/react-query';
import { dataOf, type paths } from '@ledgerline/client';
import { client, useChange } from './client';
import { ever } from './figures';
import { recordsQuery } from './records';

/** The websites of an organization that the signed-in person may read. */
export const websitesQuery = (organizationId: string) => recordsQuery('/v1/websites', { organizationId });

interface Catalogue {
  readonly linkset: readonly { readonly anchor: string; readonly 'service-meta'?: unknown }[];
}

/** The address of the tracking host, where short links and the script are; the api's catalogue names both hosts. */
export const trackingHostQuery = queryOptions({
  queryKey: ['tracking-host'],
  queryFn: async ({ signal }) => {
    const text = await dataOf(client.GET('/.well-known/api-catalog', { parseAs: 'text', signal }));
    const { linkset } = JSON.parse(text) as Catalogue;
    return linkset.find((host) => host['service-meta'] === undefined)?.anchor ?? location.origin;
  },
  staleTime: Infinity,
});

const POLL_MS = 2_000;

/** Returns whether a website has ever had a visitor; asked for again until it has. */
export const firstEventQuery = (website: string) =>
  queryOptions({
    queryKey: ['first-event', website],
    queryFn: async ({ signal }) => {
      const { data } = await client.query({ website, ...ever(), parameters: ['summary_metrics'] }, { signal });
      return Boolean(data[0].data[0]?.total_events);
    },
    refetchInterval: ({ state }) => (state.data ? false : POLL_MS),
    refetchIntervalInBackground: true, // the other window is where the page is opened
  });

/** The shares of a website, in the order in which they were made. */
export const sharesQuery = (organizationId: string, websiteId: string) =>
  recordsQuery('/v1/shares', { organizationId, websiteId });

/** As the api answers it. */
export type SharedView = paths['/share/{token}/dashboard']['get']['responses'][200]['content']['application/json'];

/** Returns what the address of a share shows, for everybody who has it. */
export const sharedDashboardQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-dashboard', token],
    queryFn: ({ signal }) => dataOf(client.GET('/share/{token}/dashboard', { params: { path: { token } }, signal })),
  });

/** Gives the password of a share. */
export const useOpenShare = (token: string) =>
  useChange(
    (password: string) =>
      dataOf(client.POST('/share/{token}/password', { params: { path: { token } }, body: { password } })),
    'shared-dashboard',
  );
