import type { Invitation, Organization, RegistryState } from '@ledgerline/contracts/records';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type {
  MemberLeft,
  MemberRemoved,
  OrganizationDetails,
  OrganizationEvent,
} from '@ledgerline/contracts/events/organization.events';
import { created, RegistryRecords, updated, type Handlers } from './registry-records';
import { Members } from './members';

/** Organizations with their members and invitations. */
export class Organizations {
  readonly members = new Members();
  readonly invitations = new RegistryRecords<Invitation>();
  private readonly organizations = new Map<string, Organization>();
  private readonly deleted = new Set<string>();

  get(id: string): Organization | undefined {
    return this.organizations.get(id);
  }

  isDeleted(id: string): boolean {
    return this.deleted.has(id);
  }

  load({ organizations, deletedOrganizations, members, invitations }: RegistryState): void {
    for (const id of deletedOrganizations) this.deleted.add(id);
    for (const member of members) this.members.set(member);
    for (const invitation of invitations) this.invitations.add(invitation);
    for (const organization of organizations) {
      const ownerId = this.members.longestOwner(organization.id)?.userId ?? '';
      this.organizations.set(organization.id, { ...organization, ownerId });
    }
  }

  readonly on: Handlers<OrganizationEvent> = {
    OrganizationCreated: (event) => {
      const { organizationId: id, name, ownerId } = event.data;
      this.organizations.set(id, { ...created(event), id, name, ownerId });
      this.members.set({ organizationId: id, userId: ownerId, role: 'owner', ...joined(event) });
    },
    OrganizationUpdated: (event) => this.touch(event, { name: event.data.name }),
    OrganizationDeleted: ({ data: { organizationId: id } }) => {
      this.organizations.delete(id);
      this.deleted.add(id);
      this.members.removeAllOf(id);
      this.invitations.removeAllOf(id);
    },
    MemberInvited: (event) => {
      const { invitationId: id, ...invitation } = event.data;
      this.invitations.add({ ...created(event), id, ...invitation });
      this.touch(event);
    },
    InvitationRevoked: (event) => {
      this.invitations.remove(event.data.invitationId);
      this.touch(event);
    },
    MemberAdded: (event) => {
      const { organizationId, userId, role, invitationId } = event.data;
      this.invitations.remove(invitationId);
      this.members.set({ organizationId, userId, role, ...joined(event) });
      this.touch(event);
    },
    MemberRoleChanged: (event) => {
      const { organizationId, userId, role } = event.data;
      this.members.changeRole(organizationId, userId, role, event.revision);
      this.touch(event);
    },
    MemberRemoved: (event) => this.removeMember(event),
    MemberLeft: (event) => this.removeMember(event),
  };

  /** Everything in an organization's stream is a change of the organization. */
  private touch(event: Recorded<OrganizationEvent>, changes: Partial<OrganizationDetails> = {}): void {
    const organization = this.organizations.get(event.data.organizationId);
    if (!organization) return;
    const { id } = organization;
    const ownerId = this.members.longestOwner(id)?.userId ?? organization.ownerId;
    this.organizations.set(id, { ...organization, ...changes, ...updated(event), ownerId });
  }

  private removeMember(event: Recorded<MemberRemoved | MemberLeft>): void {
    this.members.remove(event.data.organizationId, event.data.userId);
    this.touch(event);
  }
}

const joined = ({ recordedAt, revision }: Recorded) => ({
  joinedAt: recordedAt,
  joinedRevision: revision,
  roleRevision: revision,
});
