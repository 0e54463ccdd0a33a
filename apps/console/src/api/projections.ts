import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';

const REFRESHED_MS = 5_000;

/** Asks whether the installation can do its work, and how far each projection is; for operators. */
export const readinessQuery = queryOptions({
  queryKey: ['readiness'],
  queryFn: ({ signal }) => dataOf(client.GET('/v1/projections', { signal })),
  refetchInterval: REFRESHED_MS,
});

export type ReadinessData = Awaited<ReturnType<NonNullable<typeof readinessQuery.queryFn>>>;
