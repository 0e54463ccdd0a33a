import { dataOf, type CreateApiKeyDto, type UpdateApiKeyDto } from '@ledgerline/client';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from './client';

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

export function useCreateApiKey(organizationId: string) {
  const refreshKeys = useRefreshKeys();
  return useMutation({
    mutationFn: (key: Omit<CreateApiKeyDto, 'organizationId'>) =>
      dataOf(client.POST('/v1/api-keys', { body: { organizationId, ...key } })),
    onSuccess: refreshKeys,
  });
}

interface KeyChange {
  readonly id: string;
  readonly changes: UpdateApiKeyDto;
  /** Of the key as it was shown, where a change by others in between must not be overwritten. */
  readonly revision?: number;
}

export function useUpdateApiKey() {
  const refreshKeys = useRefreshKeys();
  return useMutation({
    mutationFn: ({ id, changes, revision }: KeyChange) => {
      const header = revision === undefined ? {} : { 'If-Match': String(revision) };
      return dataOf(client.PATCH('/v1/api-keys/{id}', { params: { path: { id }, header }, body: changes }));
    },
    onSuccess: refreshKeys,
  });
}

export function useRotateApiKey() {
  const refreshKeys = useRefreshKeys();
  return useMutation({
    mutationFn: (id: string) => dataOf(client.POST('/v1/api-keys/{id}/rotate', { params: { path: { id } } })),
    onSuccess: refreshKeys,
  });
}

/** For good; a deleted key leaves the list, too. */
export function useEndApiKey() {
  const refreshKeys = useRefreshKeys();
  return useMutation({
    mutationFn: async ({ id, how }: { readonly id: string; readonly how: 'revoke' | 'delete' }) => {
      const params = { path: { id } };
      await (how === 'revoke'
        ? dataOf(client.POST('/v1/api-keys/{id}/revoke', { params }))
        : dataOf(client.DELETE('/v1/api-keys/{id}', { params })));
    },
    onSuccess: refreshKeys,
  });
}

function useRefreshKeys(): () => Promise<void> {
  const queryClient = useQueryClient();
  return async () => {
    await Promise.all(
      ['api-keys', 'api-key'].map((key) => queryClient.invalidateQueries({ queryKey: [key], refetchType: 'all' })),
    );
  };
}
