import { dataOf, type RegisterWebsiteDto, type UpdateWebsiteDto } from '@ledgerline/client';
import { queryOptions, useMutation, type QueryClient } from '@tanstack/react-query';
import { client } from './client';

/** The websites of an organization that the signed-in person may read. */
export const websitesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['websites', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/websites', { params: { query: { organizationId } }, signal }))).data,
  });

/** Also what no page shows just now: the page that is opened next shows the change. */
const reload = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({ queryKey: ['websites'], refetchType: 'all' });

export const useRegisterWebsite = () =>
  useMutation({
    mutationFn: (body: RegisterWebsiteDto) => dataOf(client.POST('/v1/websites', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useChangeWebsite = (id: string) =>
  useMutation({
    mutationFn: (body: UpdateWebsiteDto) =>
      dataOf(client.PATCH('/v1/websites/{id}', { params: { path: { id } }, body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useDeleteWebsite = (id: string) =>
  useMutation({
    mutationFn: () => dataOf(client.DELETE('/v1/websites/{id}', { params: { path: { id } } })),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) => reload(queryClient),
  });
