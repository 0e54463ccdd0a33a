import { queryOptions, useQuery } from '@tanstack/react-query';
import { dataOf, type MemberDto } from '@ledgerline/client';
import { sessionQuery } from './account';
import { client, useChange } from './client';

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

/** The pending ones, which admins and owners may see. */
export const invitationsQuery = (id: string) =>
  queryOptions({
    queryKey: ['invitations', id],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/organizations/{id}/invitations', { params: { path: { id } }, signal }))).data,
  });

export const useInvite = (id: string) =>
  useChange(
    (body: { readonly email: string; readonly role: MemberRole }) =>
      dataOf(client.POST('/v1/organizations/{id}/invitations', { params: { path: { id } }, body })),
    'invitations',
  );

export const useRevokeInvitation = (id: string) =>
  useChange(
    (invitationId: string) =>
      dataOf(
        client.DELETE('/v1/organizations/{id}/invitations/{invitationId}', { params: { path: { id, invitationId } } }),
      ),
    'invitations',
  );

export const useAcceptInvitation = () =>
  useChange(
    (invitationId: string) =>
      dataOf(client.POST('/v1/invitations/{invitationId}/accept', { params: { path: { invitationId } } })),
    'organizations',
  );

export const useChangeRole = (id: string) =>
  useChange(
    ({ userId, role }: { readonly userId: string; readonly role: MemberRole }) =>
      dataOf(
        client.PATCH('/v1/organizations/{id}/members/{userId}', { params: { path: { id, userId } }, body: { role } }),
      ),
    'members',
  );

const removal = (id: string, userId: string) =>
  dataOf(client.DELETE('/v1/organizations/{id}/members/{userId}', { params: { path: { id, userId } } }));

export const useRemoveMember = (id: string) => useChange((userId: string) => removal(id, userId), 'members');

/** The signed-in person is no member then. */
export const useLeaveOrganization = (id: string) => useChange((ownId: string) => removal(id, ownId), 'organizations');
