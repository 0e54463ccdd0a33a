import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '@ledgerline/client';
import { client, useChange } from './client';
import type { MemberRole } from './organizations';

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
