import { Injectable } from '@nestjs/common';
import type { ErasedInvitation, ErasedPerson } from '@ledgerline/contracts/events/audit-log.events';
import type { CommandContext } from '../../commands/command-context';
import { AccountDeletion, Departures } from '../../identity/self-service/account-deletion';
import { PersonalKeys } from './personal-keys';

/** People of an organization, members and those who were invited. */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly keys: PersonalKeys,
    private readonly departures: Departures,
    private readonly accounts: AccountDeletion,
  ) {}

  /** The ids of all keys that a person ever had. @throws Problem NOT_FOUND for whom the organization does not know */
  keysOf(organizationId: string, subject: ErasedPerson | ErasedInvitation): Promise<readonly string[]> {
    return this.keys.of(organizationId, subject);
  }

  /** An invitation without its address cannot be accepted any more. May be repeated. */
  async erase(
    organizationId: string,
    subject: ErasedPerson | ErasedInvitation,
    keyIds: readonly string[],
    by: CommandContext,
  ): Promise<void> {
    if ('userId' in subject) await this.remove(organizationId, subject.userId, by);
    else await this.removeInvitation(organizationId, subject.invitationId);
    await this.keys.destroy(organizationId, keyIds);
  }

  /** While the key of its address exists. */
  private async removeInvitation(organizationId: string, invitationId: string): Promise<void> {
    await this.accounts.deleteInvitation(organizationId, invitationId, () =>
      this.keys.addressOf(organizationId, invitationId),
    );
  }

  /** From the organization; deletes the account unless it is a member of another one. */
  private async remove(organizationId: string, userId: string, by: CommandContext): Promise<void> {
    await this.departures.remove(organizationId, userId, by);
    const others = await this.departures.organizationsOf(userId);
    if (others.length === 0) await this.accounts.delete(userId);
    else await this.accounts.deleteMailsAndInvitations(userId, organizationId);
  }
}
