import {
  type CreateShareDto,
  type RegisterWebsiteDto,
  type UpdateShareDto,
  type UpdateWebsiteDto,
  dataOf,
  type paths,
} from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';
import { ever } from './figures';

/** The websites of an organization that the signed-in person may read. */
export const websitesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['websites', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/websites', { params: { query: { organizationId } }, signal }))).data,
  });

export const useRegisterWebsite = () =>
  useChange((body: RegisterWebsiteDto) => dataOf(client.POST('/v1/websites', { body })), 'websites');

export const useChangeWebsite = (id: string) =>
  useChange(
    (body: UpdateWebsiteDto) => dataOf(client.PATCH('/v1/websites/{id}', { params: { path: { id } }, body })),
    'websites',
  );

export const useDeleteWebsite = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/websites/{id}', { params: { path: { id } } })), 'websites');

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

/** Whether a website has ever had a visitor; asked for again until it has. */
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
  queryOptions({
    queryKey: ['shares', organizationId, websiteId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/shares', { params: { query: { organizationId, websiteId } }, signal }))).data,
  });

export const useCreateShare = () =>
  useChange((body: CreateShareDto) => dataOf(client.POST('/v1/shares', { body })), 'shares');

export const useChangeShare = (id: string) =>
  useChange(
    (body: UpdateShareDto) => dataOf(client.PATCH('/v1/shares/{id}', { params: { path: { id } }, body })),
    'shares',
  );

export const useRevokeShare = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/shares/{id}', { params: { path: { id } } })), 'shares');

/** As the api answers it. */
export type SharedView = paths['/share/{token}/dashboard']['get']['responses'][200]['content']['application/json'];

/** What the address of a share shows, for everybody who has it. */
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
