import { Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { AccountDeletion } from '../account-deletion/account-deletion';
import { Departures } from '../account-deletion/departures';
import type { CommandContext } from '../commands/command-context';
import { notFound } from '../http/problems';

const USER = /^usr_\w+$/;

/** People of an organization, and the keys that make their personal data in its events readable. */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly keys: SubjectKeys,
    private readonly registry: Registry,
    private readonly departures: Departures,
    private readonly accounts: AccountDeletion,
  ) {}

  /** The ids of all keys that a person ever had. @throws Problem NOT_FOUND for whom the organization does not know */
  async keysOf(organizationId: string, userId: string): Promise<readonly string[]> {
    const keyIds = USER.test(userId) ? await this.keys.idsOf(organizationId, userId) : [];
    if (keyIds.length === 0 && !this.registry.member(organizationId, userId)) throw notFound('Person');
    return keyIds;
  }

  /**
   * Removes a person from the organization, deletes the account unless it is a member of another one, and destroys the
   * keys. May be repeated.
   */
  async erase(organizationId: string, userId: string, keyIds: readonly string[], by: CommandContext): Promise<void> {
    await this.departures.remove(organizationId, userId, by);
    const others = await this.departures.organizationsOf(userId);
    if (others.length === 0) await this.accounts.delete(userId);
    else await this.accounts.deleteMailsAndInvitations(userId, organizationId);
    await this.keys.destroy(organizationId, userId, keyIds);
  }
}
