import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import { invitations, members, organizations } from '@ledgerline/contracts/read-models/registry';
import { registryProjection, type RecordedDecision } from './registry-projection';

/** Members and invitations are in the organization's stream: what happens to them is a change of the organization. */
const touched = ({ data, at, revision }: RecordedDecision<OrganizationEvent>) => [
  { set: { id: data.organizationId, updated_at: at, revision } },
];

export const organizationsProjection = registryProjection(organizations, {
  OrganizationCreated: ({ data, at, revision }) => [
    {
      write: {
        id: data.organizationId,
        name: data.name,
        created_at: at,
        updated_at: at,
        deleted_at: null,
        revision,
      },
    },
  ],
  OrganizationUpdated: ({ data, at, revision }) => [
    { set: { id: data.organizationId, name: data.name, updated_at: at, revision } },
  ],
  OrganizationDeleted: ({ data, at, revision }) => [
    { set: { id: data.organizationId, deleted_at: at, updated_at: at, revision } },
  ],
  MemberInvited: touched,
  InvitationRevoked: touched,
  MemberAdded: touched,
  MemberRoleChanged: touched,
  MemberRemoved: touched,
  MemberLeft: touched,
});

const keyOf = ({ organizationId, userId }: { readonly organizationId: string; readonly userId: string }) => ({
  organization_id: organizationId,
  user_id: userId,
});

const joined = ({ at, revision }: RecordedDecision<OrganizationEvent>) => ({
  joined_at: at,
  joined_revision: revision,
  role_revision: revision,
});

export const membersProjection = registryProjection(members, {
  OrganizationCreated: (event) => {
    const { organizationId, ownerId: userId } = event.data;
    return [{ write: { ...keyOf({ organizationId, userId }), role: 'owner', ...joined(event) } }];
  },
  MemberAdded: (event) => [{ write: { ...keyOf(event.data), role: event.data.role, ...joined(event) } }],
  MemberRoleChanged: ({ data, revision }) => [{ set: { ...keyOf(data), role: data.role, role_revision: revision } }],
  MemberRemoved: ({ data }) => [{ remove: keyOf(data) }],
  MemberLeft: ({ data }) => [{ remove: keyOf(data) }],
});

export const invitationsProjection = registryProjection(invitations, {
  MemberInvited: ({ data, at, revision }) => [
    {
      write: {
        id: data.invitationId,
        organization_id: data.organizationId,
        role: data.role,
        invited_by: data.invitedBy,
        expires_at: Date.parse(data.expiresAt),
        created_at: at,
        revision,
      },
    },
  ],
  InvitationRevoked: ({ data }) => [{ remove: { id: data.invitationId } }],
  MemberAdded: ({ data }) => [{ remove: { id: data.invitationId } }],
});
