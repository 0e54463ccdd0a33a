import { dataOf } from '@ledgerline/client';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { client } from './client';

/** The organizations of the signed-in person. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async ({ signal }) => (await dataOf(client.GET('/v1/organizations', { signal }))).data,
});

/** With the signed-in person as its owner. */
export const useCreateOrganization = () =>
  useMutation({
    mutationFn: (name: string) => dataOf(client.POST('/v1/organizations', { body: { name } })),
    onSuccess: (_data, _name, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey }),
  });

export const useRenameOrganization = (id: string) =>
  useMutation({
    mutationFn: (name: string) =>
      dataOf(client.PATCH('/v1/organizations/{id}', { params: { path: { id } }, body: { name } })),
    onSuccess: (_data, _name, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey }),
  });

export const useDeleteOrganization = (id: string) =>
  useMutation({
    mutationFn: () => dataOf(client.DELETE('/v1/organizations/{id}', { params: { path: { id } } })),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey }),
  });
