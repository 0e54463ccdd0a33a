import { ApiError } from '@ledgerline/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client';

const REFRESHED_MS = 5_000;

/** Whether the installation can do its work, and how far each projection is; the report of 503 is one, too. */
export const readinessQuery = queryOptions({
  queryKey: ['readiness'],
  queryFn: async ({ signal }) => {
    const { data, error, response } = await client.GET('/health/ready', { signal });
    const report = data ?? error;
    if ('projections' in report) return report;
    throw new ApiError(error, response);
  },
  refetchInterval: REFRESHED_MS,
});

export type Readiness = Awaited<ReturnType<NonNullable<typeof readinessQuery.queryFn>>>;
