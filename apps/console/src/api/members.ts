import { dataOf, type MemberDto } from '@ledgerline/client';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { client } from './client';
import { organizationsQuery } from './organizations';
import { sessionQuery } from './session';

export type Role = MemberDto['role'];

/** From the least to the most that they may do. */
export const ROLES: readonly (readonly [Role, string])[] = [
  ['member', 'Member'],
  ['admin', 'Admin'],
  ['owner', 'Owner'],
];

/** Whether a role is this one or above it; undefined = no member. */
export const isAtLeast = (held: Role | undefined, role: Role): boolean =>
  ROLES.findIndex(([each]) => each === held) >= ROLES.findIndex(([each]) => each === role);

/** In the order in which they joined. */
export const membersQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', id],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET('/v1/organizations/{id}/members', { params: { path: { id } }, signal }))).data,
  });

/** Of the signed-in person; undefined while it is not known. */
export function useOwnRole(organizationId: string): Role | undefined {
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
  useMutation({
    mutationFn: (body: { readonly email: string; readonly role: Role }) =>
      dataOf(client.POST('/v1/organizations/{id}/invitations', { params: { path: { id } }, body })),
    onSuccess: (_data, _body, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: invitationsQuery(id).queryKey }),
  });

export const useRevokeInvitation = (id: string) =>
  useMutation({
    mutationFn: (invitationId: string) =>
      dataOf(
        client.DELETE('/v1/organizations/{id}/invitations/{invitationId}', { params: { path: { id, invitationId } } }),
      ),
    onSuccess: (_data, _id, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: invitationsQuery(id).queryKey }),
  });

export const useAcceptInvitation = () =>
  useMutation({
    mutationFn: (invitationId: string) =>
      dataOf(client.POST('/v1/invitations/{invitationId}/accept', { params: { path: { invitationId } } })),
    onSuccess: (_data, _id, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey }),
  });

export const useChangeRole = (id: string) =>
  useMutation({
    mutationFn: ({ userId, role }: { readonly userId: string; readonly role: Role }) =>
      dataOf(
        client.PATCH('/v1/organizations/{id}/members/{userId}', { params: { path: { id, userId } }, body: { role } }),
      ),
    onSuccess: (_data, _change, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: membersQuery(id).queryKey }),
  });

const removal = (id: string, userId: string) =>
  dataOf(client.DELETE('/v1/organizations/{id}/members/{userId}', { params: { path: { id, userId } } }));

export const useRemoveMember = (id: string) =>
  useMutation({
    mutationFn: (userId: string) => removal(id, userId),
    onSuccess: (_data, _id, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: membersQuery(id).queryKey }),
  });

/** The signed-in person is no member then. */
export const useLeaveOrganization = (id: string) =>
  useMutation({
    mutationFn: (ownId: string) => removal(id, ownId),
    onSuccess: (_data, _id, _result, { client: queryClient }) =>
      queryClient.invalidateQueries({ queryKey: organizationsQuery.queryKey }),
  });
