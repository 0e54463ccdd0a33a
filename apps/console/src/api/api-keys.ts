import { dataOf, type CreateApiKeyDto, type UpdateApiKeyDto } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './client';

/** The keys of an organization, newest first; for owners and admins. */
export const apiKeysQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['api-keys', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/api-keys', { params: { query: { organizationId } }, signal }))).data,
  });

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: ['api-key', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/api-keys/{id}', { params: { path: { id } }, signal })),
  });

/** A change of keys, after which they are read again. */
const useKeyChange = <Result, Body>(send: (body: Body) => Promise<Result>) => useChange(send, 'api-keys', 'api-key');

export const useCreateApiKey = (organizationId: string) =>
  useKeyChange((key: Omit<CreateApiKeyDto, 'organizationId'>) =>
    dataOf(client.POST('/v1/api-keys', { body: { organizationId, ...key } })),
  );

interface KeyChange {
  readonly id: string;
  readonly changes: UpdateApiKeyDto;
  /** Of the key as it was shown, where a change by others in between must not be overwritten. */
  readonly revision?: number;
}

export const useUpdateApiKey = () =>
  useKeyChange(({ id, changes, revision }: KeyChange) => {
    const header = revision === undefined ? {} : { 'If-Match': String(revision) };
    return dataOf(client.PATCH('/v1/api-keys/{id}', { params: { path: { id }, header }, body: changes }));
  });

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
