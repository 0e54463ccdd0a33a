import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';

const RUNNING_MS = 2_000;

/** The erasures of an organization, newest first, read again while one is being carried out; for owners. */
export const erasuresQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['erasures', organizationId],
    queryFn: ({ signal }) => dataOf(client.GET('/v1/erasures', { params: { query: { organizationId } }, signal })),
    refetchInterval: ({ state }) => state.data?.data.some((each) => each.state === 'erasing') && RUNNING_MS,
  });
