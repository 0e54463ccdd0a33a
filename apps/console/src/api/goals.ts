import { dataOf } from '@ledgerline/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from './client';
import { recordChanges } from './record-changes';

/** The goals of a website, the oldest first. */
export const goalsQuery = ({
  organizationId,
  websiteId,
}: {
  readonly organizationId: string;
  readonly websiteId: string;
}) =>
  queryOptions({
    queryKey: ['goals', websiteId],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/goals', { params: { query: { organizationId, websiteId } }, signal }))).data,
  });

/** Figures of goals are asked again, too. */
export const {
  useCreate: useCreateGoal,
  useUpdate: useChangeGoal,
  useDelete: useDeleteGoal,
} = recordChanges('/v1/goals', 'goals', 'figures');

/** Whether conversions of a goal have amounts; false until it is known. */
export function useHasRevenue(website: Parameters<typeof goalsQuery>[0], goal: string | undefined): boolean {
  const { data } = useQuery({ ...goalsQuery(website), enabled: goal !== undefined });
  return Boolean(data?.find(({ id }) => id === goal)?.value);
}
