import { useQuery } from '@tanstack/react-query';
import { recordsQuery } from './records';

/** The goals of a website, the oldest first. */
export const goalsQuery = (website: { readonly organizationId: string; readonly websiteId: string }) =>
  recordsQuery('/v1/goals', website);

/** Returns whether conversions of a goal have amounts; false until it is known. */
export function useHasRevenue(website: Parameters<typeof goalsQuery>[0], goal: string | undefined): boolean {
  const { data } = useQuery({ ...goalsQuery(website), enabled: goal !== undefined });
  return Boolean(data?.find(({ id }) => id === goal)?.value);
}
