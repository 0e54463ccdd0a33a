import { queryOptions } from '@tanstack/react-query';
import { dataOf, type DeliveryDto, type RetryDto } from '@ledgerline/client';
import { client, useChange } from './client';
import { recordsQuery } from './records';

const REFRESHED_MS = 5_000;

/** The destinations of an organization, the oldest first; for owners and admins. */
export const destinationsQuery = (organizationId: string) => ({
  ...recordsQuery('/v1/destinations', { organizationId }),
  refetchInterval: REFRESHED_MS,
});

export const DELIVERIES_SHOWN = 50;

interface DeliveryFilter {
  readonly state?: DeliveryDto['state'] | undefined;
  /** Only those below this number. */
  readonly before?: number | undefined;
}

/** The messages of a destination, newest first. */
export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: ['deliveries', id, filter],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { ...filter, limit: DELIVERIES_SHOWN } };
      return (await dataOf(client.GET('/v1/destinations/{id}/deliveries', { params, signal }))).data;
    },
    refetchInterval: REFRESHED_MS,
  });

export const useTestDestination = (id: string) =>
  useChange(() => dataOf(client.POST('/v1/destinations/{id}/test', { params: { path: { id } } })));

export const useRotateDestination = (id: string) =>
  useChange(() => dataOf(client.POST('/v1/destinations/{id}/rotate', { params: { path: { id } } })), 'destinations');

/** Also turns on what is off, and tries at once what is held back. */
export const useRetryDeliveries = (id: string) =>
  useChange(
    (body: RetryDto) => dataOf(client.POST('/v1/destinations/{id}/retry', { params: { path: { id } }, body })),
    'destinations',
    'deliveries',
  );
