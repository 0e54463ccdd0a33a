import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client } from './client';
import { recordsQuery } from './records';

const REFRESHED_MS = 30_000;

/** The monitors of an organization, the oldest first. */
export const monitorsQuery = (organizationId: string) => recordsQuery('/v1/monitors', { organizationId });

/** Tells how they are now, and were on the last 90 days. */
export const monitorReportsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['monitors', organizationId, 'status'],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/monitors/status', { params: { query: { organizationId } }, signal }))).data,
    refetchInterval: REFRESHED_MS,
  });

export type MonitorReportData = Awaited<
  ReturnType<NonNullable<ReturnType<typeof monitorReportsQuery>['queryFn']>>
>[number];

/** Returns what the checks of the last hours or days showed; days are those of UTC, as in the report. */
export const monitorChecksQuery = (monitor: string, days: 2 | 7 | 30) =>
  queryOptions({
    queryKey: ['monitor-checks', monitor, days],
    queryFn: async ({ signal }) => {
      const request = { ...lastDays(days), granularity: days === 2 ? 'hourly' : 'daily', timezone: 'UTC' } as const;
      const { data } = await client.query(
        { monitor, ...request, parameters: ['uptime_summary', 'uptime_by_day', 'response_times'] },
        { signal },
      );
      return data;
    },
    refetchInterval: REFRESHED_MS,
  });

function lastDays(days: number): { readonly startDate: string; readonly endDate: string } {
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { startDate: dayOf(Date.now() - (days - 1) * 86_400_000), endDate: dayOf(Date.now()) };
}
