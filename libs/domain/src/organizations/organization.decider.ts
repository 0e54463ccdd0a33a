import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  MemberInvited,
  OrganizationCreated,
  OrganizationDetails,
  OrganizationEvent,
  Role,
} from '@ledgerline/contracts/events/organization.events';
import { type Action, includesRole, roleMay } from '../access/caller';
import { type Command, applyChanges, decider } from '../decider';

type OrganizationState = { readonly status: 'absent' } | { readonly status: 'deleted' } | ActiveOrganization;

interface ActiveOrganization extends OrganizationDetails {
  readonly status: 'active';
  readonly organizationId: string;
  /** By user id. */
  readonly members: ReadonlyMap<string, Role>;
  /** The invitations neither accepted nor revoked, expired ones among them, by their id. */
  readonly invitations: ReadonlyMap<string, MemberInvited['data']>;
}

/** @throws Rejection ORGANIZATION_NOT_FOUND */
function existing(state: OrganizationState): ActiveOrganization {
  if (state.status !== 'active') throw new Rejection('ORGANIZATION_NOT_FOUND');
  return state;
}

/**
 * The organization, for a person whose role in it allows the action, on a member with this role if it is about a role.
 * @throws Rejection ORGANIZATION_NOT_FOUND to those who are no members · ROLE_INSUFFICIENT
 */
function allowing(state: OrganizationState, by: string, action: Action, role?: Role): ActiveOrganization {
  const organization = existing(state);
  const held = organization.members.get(by);
  if (held === undefined) throw new Rejection('ORGANIZATION_NOT_FOUND');
  if (!roleMay(held, action) || (role && !includesRole(held, role))) throw new Rejection('ROLE_INSUFFICIENT');
  return organization;
}

/** @throws Rejection MEMBER_NOT_FOUND */
function roleOf({ members }: ActiveOrganization, userId: string): Role {
  const role = members.get(userId);
  if (role === undefined) throw new Rejection('MEMBER_NOT_FOUND');
  return role;
}

/** @throws Rejection LAST_OWNER */
function assertOtherOwner({ members }: ActiveOrganization, userId: string): void {
  const isOther = ([id, role]: readonly [string, Role]) => id !== userId && role === 'owner';
  if (members.get(userId) === 'owner' && ![...members].some(isOther)) throw new Rejection('LAST_OWNER');
}

/** @throws Rejection INVITATION_NOT_FOUND */
function invitationOf({ invitations }: ActiveOrganization, id: string): MemberInvited['data'] {
  const invitation = invitations.get(id);
  if (!invitation) throw new Rejection('INVITATION_NOT_FOUND');
  return invitation;
}

const withMember = (state: ActiveOrganization, userId: string, role?: Role): ActiveOrganization => ({
  ...state,
  members: entry(state.members, userId, role),
});

const withInvitation = (state: ActiveOrganization, id: string, data?: MemberInvited['data']): ActiveOrganization => ({
  ...state,
  invitations: entry(state.invitations, id, data),
});

/** The map with this value, or without one. */
function entry<Value>(map: ReadonlyMap<string, Value>, key: string, value: Value | undefined): Map<string, Value> {
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}

export type OrganizationCommand =
  | CreateOrganization
  | UpdateOrganization
  | DeleteOrganization
  | InviteMember
  | RevokeInvitation
  | AcceptInvitation
  | ChangeMemberRole
  | RemoveMember;

export type CreateOrganization = Command<'CreateOrganization', OrganizationCreated['data']>;
type UpdateOrganization = Command<'UpdateOrganization', { changes: Partial<OrganizationDetails> } & By>;
type DeleteOrganization = Command<'DeleteOrganization', By>;
type InviteMember = Command<'InviteMember', Pick<MemberInvited['data'], 'invitationId' | 'role' | 'expiresAt'> & By>;
type RevokeInvitation = Command<'RevokeInvitation', { invitationId: string } & By>;
type AcceptInvitation = Command<'AcceptInvitation', { invitationId: string; userId: string; at: Date }>;
type ChangeMemberRole = Command<'ChangeMemberRole', { userId: string; role: Role } & By>;
/** By themselves: they leave, whatever their role. */
type RemoveMember = Command<'RemoveMember', { userId: string } & By>;

/** The person who wants it. Their role is judged where it is decided, so that no change of roles can come between. */
interface By {
  readonly by: string;
}

export const organization = decider<OrganizationState, OrganizationCommand, OrganizationEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateOrganization({ status }, data) {
      if (status !== 'absent') throw new Rejection('ORGANIZATION_EXISTS');
      return [{ type: 'OrganizationCreated', data }];
    },
    UpdateOrganization(state, { changes, by }) {
      const { organizationId, name } = allowing(state, by, 'organizations:write');
      const data = applyChanges({ organizationId, name }, changes);
      return data ? [{ type: 'OrganizationUpdated', data }] : [];
    },
    DeleteOrganization(state, { by }) {
      const { organizationId, name } = allowing(state, by, 'organization:delete');
      return [{ type: 'OrganizationDeleted', data: { organizationId, name } }];
    },
    InviteMember(state, { by, ...invitation }) {
      const { organizationId, invitations } = allowing(state, by, 'members:invite', invitation.role);
      if (invitations.has(invitation.invitationId)) throw new Rejection('INVITATION_EXISTS');
      return [{ type: 'MemberInvited', data: { organizationId, ...invitation, invitedBy: by } }];
    },
    RevokeInvitation(state, { invitationId, by }) {
      const { role } = invitationOf(allowing(state, by, 'members:invite'), invitationId);
      const { organizationId } = allowing(state, by, 'members:invite', role);
      return [{ type: 'InvitationRevoked', data: { organizationId, invitationId, role } }];
    },
    AcceptInvitation(state, { invitationId, userId, at }) {
      const active = existing(state);
      const { organizationId, role, expiresAt } = invitationOf(active, invitationId);
      if (active.members.has(userId)) throw new Rejection('MEMBER_EXISTS');
      if (Date.parse(expiresAt) <= at.getTime()) throw new Rejection('INVITATION_EXPIRED');
      return [{ type: 'MemberAdded', data: { organizationId, userId, role, invitationId } }];
    },
    ChangeMemberRole(state, { userId, role, by }) {
      const active = allowing(state, by, 'members:change-role');
      const data = applyChanges(
        { organizationId: active.organizationId, userId, role: roleOf(active, userId) },
        { role },
      );
      if (!data) return [];
      assertOtherOwner(active, userId);
      return [{ type: 'MemberRoleChanged', data }];
    },
    RemoveMember(state, { userId, by }) {
      const isLeaving = by === userId;
      const active = allowing(state, by, isLeaving ? 'organizations:read' : 'members:remove');
      const role = roleOf(active, userId);
      if (!isLeaving) allowing(state, by, 'members:remove', role);
      assertOtherOwner(active, userId);
      const data = { organizationId: active.organizationId, userId, role };
      return [{ type: isLeaving ? 'MemberLeft' : 'MemberRemoved', data }];
    },
  },

  evolve: {
    OrganizationCreated: (_, { organizationId, name, ownerId }) => ({
      status: 'active',
      organizationId,
      name,
      members: new Map([[ownerId, 'owner']]),
      invitations: new Map(),
    }),
    OrganizationUpdated: (state, { name }) => ({ ...existing(state), name }),
    OrganizationDeleted: () => ({ status: 'deleted' }),
    MemberInvited: (state, data) => withInvitation(existing(state), data.invitationId, data),
    InvitationRevoked: (state, { invitationId }) => withInvitation(existing(state), invitationId),
    MemberAdded: (state, { userId, role, invitationId }) =>
      withMember(withInvitation(existing(state), invitationId), userId, role),
    MemberRoleChanged: (state, { userId, role }) => withMember(existing(state), userId, role),
    MemberRemoved: (state, { userId }) => withMember(existing(state), userId),
    MemberLeft: (state, { userId }) => withMember(existing(state), userId),
  },
});
