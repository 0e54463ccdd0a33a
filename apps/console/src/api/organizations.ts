import { dataOf } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

/** The organizations of the signed-in person. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async ({ signal }) => (await dataOf(client.GET('/v1/organizations', { signal }))).data,
});
