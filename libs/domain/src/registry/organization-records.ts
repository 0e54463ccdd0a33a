import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import type { StoredRecords } from '@ledgerline/contracts/records';
import { created, updated, type Handlers } from './record-change';

/** Members and invitations are in the organization's stream: what happens to them is a change of the organization. */
const touched = (event: Recorded<OrganizationEvent>) => ({ set: { id: event.data.organizationId, ...updated(event) } });

export const organizations = {
  OrganizationCreated: (event) => {
    const { organizationId: id, name } = event.data;
    return { write: { id, name, deletedAt: null, ...created(event) } };
  },
  OrganizationUpdated: (event) => {
    const { organizationId: id, name } = event.data;
    return { set: { id, name, ...updated(event) } };
  },
  OrganizationDeleted: (event) => {
    return { set: { id: event.data.organizationId, deletedAt: event.recordedAt, ...updated(event) } };
  },
  MemberInvited: touched,
  InvitationRevoked: touched,
  MemberAdded: touched,
  MemberRoleChanged: touched,
  MemberRemoved: touched,
  MemberLeft: touched,
} satisfies Handlers<StoredRecords['organizations']>;

const keyOf = ({ organizationId, userId }: { readonly organizationId: string; readonly userId: string }) => ({
  organizationId,
  userId,
});

const joined = ({ recordedAt, revision }: Recorded) => ({
  joinedAt: recordedAt,
  joinedRevision: revision,
  roleRevision: revision,
});

export const members = {
  OrganizationCreated: (event) => {
    const { organizationId, ownerId: userId } = event.data;
    return { write: { organizationId, userId, role: 'owner', ...joined(event) } };
  },
  MemberAdded: (event) => ({ write: { ...keyOf(event.data), role: event.data.role, ...joined(event) } }),
  MemberRoleChanged: ({ data, revision }) => ({ set: { ...keyOf(data), role: data.role, roleRevision: revision } }),
  MemberRemoved: ({ data }) => ({ remove: keyOf(data) }),
  MemberLeft: ({ data }) => ({ remove: keyOf(data) }),
} satisfies Handlers<StoredRecords['members']>;

export const invitations = {
  MemberInvited: ({ data, recordedAt: createdAt, revision }) => {
    const { invitationId: id, expiresAt, ...details } = data;
    return { write: { ...details, id, expiresAt: new Date(expiresAt), createdAt, revision } };
  },
  InvitationRevoked: ({ data }) => ({ remove: { id: data.invitationId } }),
  MemberAdded: ({ data }) => ({ remove: { id: data.invitationId } }),
} satisfies Handlers<StoredRecords['invitations']>;
