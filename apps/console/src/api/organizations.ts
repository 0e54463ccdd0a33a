import { queryOptions, useQuery } from '@tanstack/react-query';
import { dataOf, type MemberDto } from '@ledgerline/client';
import { sessionQuery } from './account';
import { client } from './client';

/** The organizations of the signed-in person. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'],
  queryFn: async ({ signal }) => (await dataOf(client.GET('/v1/organizations', { signal }))).data,
});

export type MemberRole = MemberDto['role'];

/** From the least to the most that they may do. */
export const ROLE_OPTIONS: readonly (readonly [MemberRole, string])[] = [
  ['member', 'Member'],
  ['admin', 'Admin'],
  ['owner', 'Owner'],
];

/** Returns whether a role is this one or above it; undefined = no member. */
export const isAtLeast = (held: MemberRole | undefined, role: MemberRole): boolean =>
  ROLE_OPTIONS.findIndex(([each]) => each === held) >= ROLE_OPTIONS.findIndex(([each]) => each === role);

/** In the order in which they joined. */
export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', id],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/organizations/{id}/members', { params: { path: { id } }, signal }))).data,
  });

/** Returns the role of the signed-in person; undefined while it is not known. */
export function useOwnRole(organizationId: string): MemberRole | undefined {
  const { data: session } = useQuery(sessionQuery);
  const { data: members = [] } = useQuery(membersQuery(organizationId));
  return members.find(({ id }) => id === session?.user.id)?.role;
}
