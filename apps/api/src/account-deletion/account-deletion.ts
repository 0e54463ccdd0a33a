import { Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { CommandBus } from '@nestjs/cqrs';
import { MailFiles } from '../accounts/mailer';
import { People } from '../accounts/people';
import { InvitationAddresses } from '../organizations/invitation-addresses';
import { deleted, type CommandContext } from '../commands/command-context';
import { conflict } from '../http/problems';
import { GrantRevocation } from '../oauth/grant.commands';
import { ChangeOrganization } from '../organizations/organization.commands';

/** Deletes what is stored of people outside of events. */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly people: People,
    private readonly mails: MailFiles,
    private readonly addresses: InvitationAddresses,
  ) {}

  /** The account goes last, so that an attempt that failed can be repeated. */
  async delete(userId: string): Promise<void> {
    await this.deleteMailsAndInvitations(userId);
    await this.people.remove(userId);
  }

  /** An invitation's address and the mails to it; `sealed` reads the address in its event, which outlives the stored one. */
  async deleteInvitation(invitationId: string, sealed: () => Promise<string | undefined>): Promise<void> {
    const stored = (await this.addresses.of([invitationId])).get(invitationId);
    const email = stored?.email ?? (await sealed());
    if (email !== undefined) await this.mails.removeTo(email);
    await this.addresses.remove([invitationId]);
  }

  /** The mails to a person, and the invitations of their address: all, or those of one organization. */
  async deleteMailsAndInvitations(userId: string, organizationId?: string): Promise<void> {
    const person = (await this.people.find([userId])).get(userId);
    if (!person) return;
    await this.mails.removeOf(person);
    const invitations = await this.addresses.to(person.email);
    const own = invitations.filter((each) => organizationId === undefined || each.organizationId === organizationId);
    await this.addresses.remove(own.map(({ invitationId }) => invitationId));
  }
}

/** The end of what people may do in organizations. */
@Injectable()
export class Departures {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
    private readonly grants: GrantRevocation,
  ) {}

  /** The organizations of a person, also those that another process added them to a moment ago. */
  async organizationsOf(userId: string): Promise<readonly string[]> {
    await this.live.catchUp();
    return [...this.registry.rolesOf(userId).keys()];
  }

  /** @throws Problem CONFLICT that names the organizations whose last owner the person is */
  assertOtherOwners(organizationIds: readonly string[], userId: string): void {
    const left = organizationIds.filter((id) => {
      const [owner, ...others] = this.registry.membersOf(id).filter(({ role }) => role === 'owner');
      return owner?.userId === userId && others.length === 0;
    });
    const names = left.map((id) => `${this.registry.organization(id)?.name ?? ''} (${id})`);
    if (names.length > 0)
      throw conflict(`You are the last owner of ${names.join(', ')}: make somebody else an owner, or delete it first`);
  }

  /** Removes a person and revokes their grants, as events by the caller; may be repeated. @throws Rejection LAST_OWNER */
  async remove(organizationId: string, userId: string, context: CommandContext): Promise<void> {
    // both headers are about the request that asks for this, not about the commands that it leads to
    const own = { ...context, idempotencyKey: undefined, expectedRevision: undefined };
    const change = (by: string) => ({ type: 'RemoveMember', data: { userId, by } }) as const;
    if (this.registry.member(organizationId, userId))
      await this.commands.execute(new ChangeOrganization(organizationId, change, { answer: deleted }, own));
    await this.grants.revokeIn(organizationId, userId, 'departure', own);
  }
}
