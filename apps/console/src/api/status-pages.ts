import { dataOf, type CreateStatusPageDto, type UpdateStatusPageDto } from '@ledgerline/client';
import { queryOptions, useMutation, type QueryClient } from '@tanstack/react-query';
import { client } from './client';

export const statusPagesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['status-pages', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/status-pages', { params: { query: { organizationId } }, signal }))).data,
  });

/** Also what no page shows just now: the page that is opened next shows the change. */
const reload = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({ queryKey: ['status-pages'], refetchType: 'all' });

export const useCreateStatusPage = () =>
  useMutation({
    mutationFn: (body: CreateStatusPageDto) => dataOf(client.POST('/v1/status-pages', { body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useChangeStatusPage = (id: string) =>
  useMutation({
    mutationFn: (body: UpdateStatusPageDto) =>
      dataOf(client.PATCH('/v1/status-pages/{id}', { params: { path: { id } }, body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useDeleteStatusPage = (id: string) =>
  useMutation({
    mutationFn: () => dataOf(client.DELETE('/v1/status-pages/{id}', { params: { path: { id } } })),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) => reload(queryClient),
  });
