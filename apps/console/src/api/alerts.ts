import { queryOptions } from '@tanstack/react-query';
import { type CreateAlertDto, dataOf } from '@ledgerline/client';
import { client } from './client';
import { recordsQuery } from './records';

const REFRESHED_MS = 30_000;

/** The alerts of an organization, the oldest first, each with its state. */
export const alertsQuery = (organizationId: string) => ({
  ...recordsQuery('/v1/alerts', { organizationId }),
  refetchInterval: REFRESHED_MS,
});

/** What an alert told, the newest first, and of how many windows late hits have changed the figure since. */
export const alertDecisionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['alert-decisions', id],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/alerts/{id}/decisions', { params: { path: { id } }, signal })),
    refetchInterval: REFRESHED_MS,
  });

/** What a rule would have told. */
export const alertTrialQuery = (body: CreateAlertDto) =>
  queryOptions({
    queryKey: ['alert-trial', body],
    queryFn: ({ signal }) => dataOf(client.POST('/v1/alerts/trial', { body, signal })),
    retry: false,
    staleTime: Infinity,
  });

interface AlertSubject {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly linkId: string | null;
  readonly goalId: string | null;
}

/** The destinations that the person may have an alert about this sent to. */
export const alertDestinationsQuery = (subject: AlertSubject) => {
  const query = Object.fromEntries(Object.entries(subject).filter(([, id]) => id !== null)) as Record<
    keyof AlertSubject,
    string
  >;
  return queryOptions({
    queryKey: ['destinations', 'of-alerts', query],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/alerts/destinations', { params: { query }, signal }))).data,
  });
};
