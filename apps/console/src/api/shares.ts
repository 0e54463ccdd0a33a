import { dataOf, type CreateShareDto, type paths, type UpdateShareDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

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
