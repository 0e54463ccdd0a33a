import { queryOptions } from '@tanstack/react-query';
import { dataOf, type CreateIncidentDto, type UpdateIncidentDto } from '@ledgerline/client';
import { client, useChange } from './client';
import { recordsQuery } from './records';

export const statusPagesQuery = (organizationId: string) => recordsQuery('/v1/status-pages', { organizationId });

/** Returns what people have reported on a status page. */
export const incidentsQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', id],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/status-pages/{id}/incidents', { params: { path: { id } }, signal }))).data,
  });

/** Reports an incident or a planned maintenance. */
export const useReportIncident = (id: string) =>
  useChange(
    (body: CreateIncidentDto) =>
      dataOf(client.POST('/v1/status-pages/{id}/incidents', { params: { path: { id } }, body })),
    'incidents',
  );

export const useChangeIncident = (id: string, incidentId: string) =>
  useChange(
    (body: UpdateIncidentDto) =>
      dataOf(
        client.PATCH('/v1/status-pages/{id}/incidents/{incidentId}', { params: { path: { id, incidentId } }, body }),
      ),
    'incidents',
  );

export const useDeleteIncident = (id: string, incidentId: string) =>
  useChange(
    () =>
      dataOf(client.DELETE('/v1/status-pages/{id}/incidents/{incidentId}', { params: { path: { id, incidentId } } })),
    'incidents',
  );
