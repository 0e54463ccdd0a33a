import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client, useChange } from './client';
import { recordsQuery } from './records';

/** The keys of an organization, newest first; for owners and admins. */
export const apiKeysQuery = (organizationId: string) => recordsQuery('/v1/api-keys', { organizationId });

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ['api-key', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/api-keys/{id}', { params: { path: { id } }, signal })),
  });

/** A change of keys, after which they are read again. */
const useKeyChange = <Result, Body>(send: (body: Body) => Promise<Result>) => useChange(send, 'api-keys', 'api-key');

export const useRotateApiKey = () =>
  useKeyChange((id: string) => dataOf(client.POST('/v1/api-keys/{id}/rotate', { params: { path: { id } } })));

/** For good; a deleted key leaves the list, too. */
export const useEndApiKey = () =>
  useKeyChange(async ({ id, how }: { readonly id: string; readonly how: 'revoke' | 'delete' }) => {
    const params = { path: { id } };
    await (how === 'revoke'
      ? dataOf(client.POST('/v1/api-keys/{id}/revoke', { params }))
      : dataOf(client.DELETE('/v1/api-keys/{id}', { params })));
  });
