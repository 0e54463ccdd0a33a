import { dataOf, type CreateIncidentDto, type UpdateIncidentDto } from '@ledgerline/client';
import { queryOptions, useMutation, type QueryClient } from '@tanstack/react-query';
import { client } from './client';

/** What people have reported on a status page. */
export const incidentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', id],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/status-pages/{id}/incidents', { params: { path: { id } }, signal }))).data,
  });

/** Also what no page shows just now: the page that is opened next shows the change. */
const reload = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({ queryKey: ['incidents'], refetchType: 'all' });

/** Also a planned maintenance. */
export const useReportIncident = (id: string) =>
  useMutation({
    mutationFn: (body: CreateIncidentDto) =>
      dataOf(client.POST('/v1/status-pages/{id}/incidents', { params: { path: { id } }, body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useChangeIncident = (id: string, incidentId: string) =>
  useMutation({
    mutationFn: (body: UpdateIncidentDto) =>
      dataOf(
        client.PATCH('/v1/status-pages/{id}/incidents/{incidentId}', { params: { path: { id, incidentId } }, body }),
      ),
    onSuccess: (_data, _body, _result, { client: queryClient }) => reload(queryClient),
  });

export const useDeleteIncident = (id: string, incidentId: string) =>
  useMutation({
    mutationFn: () =>
      dataOf(client.DELETE('/v1/status-pages/{id}/incidents/{incidentId}', { params: { path: { id, incidentId } } })),
    onSuccess: (_data, _nothing, _result, { client: queryClient }) => reload(queryClient),
  });
