import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

/** The websites of an organization that the signed-in person may read. */
export const websitesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['websites', organizationId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/websites', { params: { query: { organizationId } }, signal }))).data,
  });
