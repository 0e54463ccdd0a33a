import type { Organization } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { Caller, UserCaller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertMay } from '../auth/assert-may';
import { forbidden, notFound } from '../http/problems';

/** Organizations as their members find them. */
@Injectable()
export class ManagedOrganizations {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also one that another process created, or added the caller to, a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<Organization> {
    const user = userOf(caller);
    if (!this.registry.member(id, user.id)) await this.live.catchUp();
    assertMay({ ...user, roles: this.registry.rolesOf(user.id) }, action, { organizationId: id });
    const organization = this.registry.organization(id);
    if (!organization) throw notFound('Organization');
    return organization;
  }
}

/** Organizations are a matter of people. @throws Problem FORBIDDEN */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind !== 'user') throw forbidden({ needs: 'person' });
  return caller;
}
