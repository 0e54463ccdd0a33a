import { Injectable } from '@nestjs/common';
import { MailFiles } from '../accounts/mail-files';
import { People } from '../accounts/people';
import { InvitationAddresses } from '../organizations/invitation-addresses';

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
