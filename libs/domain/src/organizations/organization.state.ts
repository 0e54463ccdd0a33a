import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { MemberInvited, OrganizationDetails, Role } from '@ledgerline/contracts/events/organization.events';
import { includesRole, roleMay, type Action } from '../access/permissions';

export type OrganizationState = { readonly status: 'absent' } | { readonly status: 'deleted' } | ActiveOrganization;

interface ActiveOrganization extends OrganizationDetails {
  readonly status: 'active';
  readonly organizationId: string;
  /** By user id. */
  readonly members: ReadonlyMap<string, Role>;
  /** Those neither accepted nor revoked, expired ones among them, by their id. */
  readonly invitations: ReadonlyMap<string, MemberInvited['data']>;
}

/** @throws Rejection ORGANIZATION_NOT_FOUND */
export function existing(state: OrganizationState): ActiveOrganization {
  if (state.status !== 'active') throw new Rejection('ORGANIZATION_NOT_FOUND');
  return state;
}

/**
 * The organization, for a person whose role in it allows the action, on a member with this role if it is about a role.
 * @throws Rejection ORGANIZATION_NOT_FOUND to those who are no members · ROLE_INSUFFICIENT
 */
export function allowing(state: OrganizationState, by: string, action: Action, role?: Role): ActiveOrganization {
  const organization = existing(state);
  const held = organization.members.get(by);
  if (held === undefined) throw new Rejection('ORGANIZATION_NOT_FOUND');
  if (!roleMay(held, action) || (role && !includesRole(held, role))) throw new Rejection('ROLE_INSUFFICIENT');
  return organization;
}

/** @throws Rejection MEMBER_NOT_FOUND */
export function roleOf({ members }: ActiveOrganization, userId: string): Role {
  const role = members.get(userId);
  if (role === undefined) throw new Rejection('MEMBER_NOT_FOUND');
  return role;
}

/** @throws Rejection LAST_OWNER */
export function assertOtherOwner({ members }: ActiveOrganization, userId: string): void {
  const isOther = ([id, role]: readonly [string, Role]) => id !== userId && role === 'owner';
  if (members.get(userId) === 'owner' && ![...members].some(isOther)) throw new Rejection('LAST_OWNER');
}

/** @throws Rejection INVITATION_NOT_FOUND */
export function invitationOf({ invitations }: ActiveOrganization, id: string): MemberInvited['data'] {
  const invitation = invitations.get(id);
  if (!invitation) throw new Rejection('INVITATION_NOT_FOUND');
  return invitation;
}

export const withMember = (state: ActiveOrganization, userId: string, role?: Role): ActiveOrganization => ({
  ...state,
  members: entry(state.members, userId, role),
});

export const withInvitation = (
  state: ActiveOrganization,
  id: string,
  data?: MemberInvited['data'],
): ActiveOrganization => ({
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
