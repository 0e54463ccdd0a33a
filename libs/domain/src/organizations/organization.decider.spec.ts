import type { OrganizationCreated, OrganizationEvent, Role } from '@ledgerline/contracts/events/organization.events';
import { specify } from '@test/domain/given';
import { organization, type CreateOrganization, type OrganizationCommand } from './organization.decider';

describe('an organization', () => {
  it('is created with its owner', () => given().when(create).then(created));
  it('is created once', () => given(created).when(create).rejects('ORGANIZATION_EXISTS'));
  it('is renamed by an admin', () =>
    given(created, ...admin)
      .when(rename('New', ADMIN))
      .then(renamed));
  it('is not renamed by a member', () =>
    given(created, ...member)
      .when(rename('New', MEMBER))
      .rejects('ROLE_INSUFFICIENT'));
  it('keeps its name without an event when it has that name', () => given(created).when(rename('Acme', OWNER)).then());
  it('is deleted by an owner', () => given(created, renamed).when(remove(OWNER)).then(deleted));
  it('is not deleted by an admin', () =>
    given(created, ...admin)
      .when(remove(ADMIN))
      .rejects('ROLE_INSUFFICIENT'));
  it('is not found by those who are no members', () => {
    given(created).when(rename('New', 'usr_9')).rejects('ORGANIZATION_NOT_FOUND');
    given(created).when(kick(OWNER, 'usr_9')).rejects('ORGANIZATION_NOT_FOUND');
  });
  it('is not found before it is created, or after it was deleted', () => {
    const anything = [
      rename('New', OWNER),
      remove(OWNER),
      invite('member', OWNER),
      revoke(OWNER),
      accept(MEMBER),
      change(MEMBER, 'admin', OWNER),
      kick(MEMBER, OWNER),
    ];
    for (const command of anything) {
      given().when(command).rejects('ORGANIZATION_NOT_FOUND');
      given(created, invited('member', OWNER), deleted).when(command).rejects('ORGANIZATION_NOT_FOUND');
    }
    given(created, deleted).when(create).rejects('ORGANIZATION_EXISTS');
  });
});

describe('an invitation', () => {
  it('is given by admins, to their own role at most', () => {
    for (const role of ['member', 'admin'] as const)
      given(created, ...admin)
        .when(invite(role, ADMIN, 'inv_2'))
        .then(invited(role, ADMIN, 'inv_2'));
    given(created, ...admin)
      .when(invite('owner', ADMIN, 'inv_2'))
      .rejects('ROLE_INSUFFICIENT');
    given(created).when(invite('owner', OWNER)).then(invited('owner', OWNER));
  });
  it('is not given by members', () =>
    given(created, ...member)
      .when(invite('member', MEMBER, 'inv_2'))
      .rejects('ROLE_INSUFFICIENT'));
  it('has its own id', () =>
    given(created, invited('member', OWNER)).when(invite('admin', OWNER)).rejects('INVITATION_EXISTS'));
  it('makes a member of its role', () =>
    given(created, invited('admin', OWNER)).when(accept(ADMIN)).then(joined(ADMIN, 'admin')));
  it('is accepted once', () =>
    given(created, ...member)
      .when(accept('usr_9'))
      .rejects('INVITATION_NOT_FOUND'));
  it('is not accepted by a member', () =>
    given(created, invited('member', OWNER)).when(accept(OWNER)).rejects('MEMBER_EXISTS'));
  it('is accepted until it expires', () => {
    const open = given(created, invited('member', OWNER));
    open.when(accept(MEMBER, new Date(Date.parse(EXPIRY) - 1))).then(joined(MEMBER, 'member'));
    open.when(accept(MEMBER, new Date(EXPIRY))).rejects('INVITATION_EXPIRED');
  });
  it('is revoked by admins, up to their own role', () => {
    given(created, invited('member', OWNER)).when(revoke(OWNER)).then(revoked('member'));
    given(created, ...admin, invited('owner', OWNER))
      .when(revoke(ADMIN))
      .rejects('ROLE_INSUFFICIENT');
    given(created, ...member, invited('member', OWNER))
      .when(revoke(MEMBER))
      .rejects('ROLE_INSUFFICIENT');
  });
  it('is gone after it was revoked', () => {
    const gone = given(created, invited('member', OWNER), revoked('member'));
    gone.when(accept(MEMBER)).rejects('INVITATION_NOT_FOUND');
    gone.when(revoke(OWNER)).rejects('INVITATION_NOT_FOUND');
  });
});

describe('a member', () => {
  it('gets another role from an owner', () =>
    given(created, ...member)
      .when(change(MEMBER, 'owner', OWNER))
      .then(changed(MEMBER, 'member', 'owner')));
  it('keeps a role without an event', () =>
    given(created, ...member)
      .when(change(MEMBER, 'member', OWNER))
      .then());
  it('gets no role from an admin', () =>
    given(created, ...admin)
      .when(change(ADMIN, 'owner', ADMIN))
      .rejects('ROLE_INSUFFICIENT'));
  it('is removed by an admin', () =>
    given(created, ...admin, ...member)
      .when(kick(MEMBER, ADMIN))
      .then({ type: 'MemberRemoved', data: of(MEMBER, 'member') }));
  it('is not removed by a member', () =>
    given(created, ...admin, ...member)
      .when(kick(ADMIN, MEMBER))
      .rejects('ROLE_INSUFFICIENT'));
  it('leaves, whatever the role', () => {
    given(created, ...member)
      .when(kick(MEMBER, MEMBER))
      .then({ type: 'MemberLeft', data: of(MEMBER, 'member') });
    given(created, ...admin, changed(ADMIN, 'admin', 'owner'))
      .when(kick(OWNER, OWNER))
      .then({ type: 'MemberLeft', data: of(OWNER, 'owner') });
  });
  it('may nothing any more once gone', () => {
    for (const type of ['MemberLeft', 'MemberRemoved'] as const)
      given(created, ...admin, { type, data: of(ADMIN, 'admin') })
        .when(rename('New', ADMIN))
        .rejects('ORGANIZATION_NOT_FOUND');
  });
  it('may come back', () =>
    given(created, ...member, { type: 'MemberLeft', data: of(MEMBER, 'member') }, invited('admin', OWNER))
      .when(accept(MEMBER))
      .then(joined(MEMBER, 'admin')));
  it('is not found among others', () => {
    given(created)
      .when(change('usr_9', 'admin', OWNER))
      .rejects('MEMBER_NOT_FOUND');
    given(created).when(kick('usr_9', OWNER)).rejects('MEMBER_NOT_FOUND');
  });
});

describe('the last owner', () => {
  it('cannot leave', () =>
    given(created, ...admin)
      .when(kick(OWNER, OWNER))
      .rejects('LAST_OWNER'));
  it('cannot be demoted', () =>
    given(created)
      .when(change(OWNER, 'admin', OWNER))
      .rejects('LAST_OWNER'));
  it('cannot be removed by an admin', () =>
    given(created, ...admin)
      .when(kick(OWNER, ADMIN))
      .rejects('ROLE_INSUFFICIENT'));
  it('is the one who is left when another one went', () => {
    const two = [created, ...admin, changed(ADMIN, 'admin', 'owner')];
    given(...two)
      .when(kick(OWNER, ADMIN))
      .then({ type: 'MemberRemoved', data: of(OWNER, 'owner') });
    given(...two, { type: 'MemberRemoved', data: of(OWNER, 'owner') })
      .when(kick(ADMIN, ADMIN))
      .rejects('LAST_OWNER');
    given(...two, changed(OWNER, 'owner', 'member'))
      .when(change(ADMIN, 'admin', ADMIN))
      .rejects('LAST_OWNER');
  });
});

const given = specify(organization);
const OWNER = 'usr_1';
const ADMIN = 'usr_2';
const MEMBER = 'usr_3';
const EXPIRY = '2026-02-01T00:00:00.000Z';
const organizationId = 'org_1';
const of = (userId: string, role: Role) => ({ organizationId, userId, role });

const data = { organizationId, name: 'Acme', ownerId: OWNER };
const create: CreateOrganization = { type: 'CreateOrganization', data };
const rename = (name: string, by: string): OrganizationCommand => ({
  type: 'UpdateOrganization',
  data: { changes: { name }, by },
});
const remove = (by: string): OrganizationCommand => ({ type: 'DeleteOrganization', data: { by } });
const invite = (role: Role, by: string, invitationId = 'inv_1'): OrganizationCommand => ({
  type: 'InviteMember',
  data: { invitationId, role, expiresAt: EXPIRY, by },
});
const revoke = (by: string): OrganizationCommand => ({ type: 'RevokeInvitation', data: { invitationId: 'inv_1', by } });
const accept = (userId: string, at = new Date('2026-01-31T00:00:00Z')): OrganizationCommand => ({
  type: 'AcceptInvitation',
  data: { invitationId: 'inv_1', userId, at },
});
const change = (userId: string, role: Role, by: string): OrganizationCommand => ({
  type: 'ChangeMemberRole',
  data: { userId, role, by },
});
const kick = (userId: string, by: string): OrganizationCommand => ({ type: 'RemoveMember', data: { userId, by } });

const created: OrganizationCreated = { type: 'OrganizationCreated', data };
const renamed: OrganizationEvent = {
  type: 'OrganizationUpdated',
  data: { organizationId, name: 'New', before: { name: 'Acme' } },
};
const deleted: OrganizationEvent = { type: 'OrganizationDeleted', data: { organizationId, name: 'New' } };
const invited = (role: Role, invitedBy: string, invitationId = 'inv_1'): OrganizationEvent => ({
  type: 'MemberInvited',
  data: { organizationId, invitationId, role, expiresAt: EXPIRY, invitedBy },
});
const revoked = (role: Role): OrganizationEvent => ({
  type: 'InvitationRevoked',
  data: { organizationId, invitationId: 'inv_1', role },
});
const joined = (userId: string, role: Role): OrganizationEvent => ({
  type: 'MemberAdded',
  data: { ...of(userId, role), invitationId: 'inv_1' },
});
const changed = (userId: string, from: Role, to: Role): OrganizationEvent => ({
  type: 'MemberRoleChanged',
  data: { ...of(userId, to), before: { role: from } },
});
const member = [invited('member', OWNER), joined(MEMBER, 'member')];
const admin = [invited('admin', OWNER), joined(ADMIN, 'admin')];
