import { dataOf, type CreateGoalDto, type UpdateGoalDto } from '@ledgerline/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, useChange } from './client';

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
const STALE = ['goals', 'figures'];

export const useCreateGoal = () =>
  useChange((body: CreateGoalDto) => dataOf(client.POST('/v1/goals', { body })), ...STALE);

export const useChangeGoal = (id: string) =>
  useChange(
    (body: UpdateGoalDto) => dataOf(client.PATCH('/v1/goals/{id}', { params: { path: { id } }, body })),
    ...STALE,
  );

export const useDeleteGoal = (id: string) =>
  useChange(() => dataOf(client.DELETE('/v1/goals/{id}', { params: { path: { id } } })), ...STALE);

/** Whether conversions of a goal have amounts; false until it is known. */
export function useHasRevenue(website: Parameters<typeof goalsQuery>[0], goal: string | undefined): boolean {
  const { data } = useQuery({ ...goalsQuery(website), enabled: goal !== undefined });
  return Boolean(data?.find(({ id }) => id === goal)?.value);
}
