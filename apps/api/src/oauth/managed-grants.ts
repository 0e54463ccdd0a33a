import { Injectable } from '@nestjs/common';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { type Caller, grantor } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { notFound } from '../http/problems';

/** Grants, visible only to the people who gave them. */
@Injectable()
export class ManagedGrants {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly lease: RegistryLease,
  ) {}

  /** Newest first. */
  of(caller: Caller): readonly OAuthGrant[] {
    if (caller.kind !== 'user') return [];
    const grants = [...caller.roles.keys()].flatMap((organizationId) => this.registry.grantsOf(organizationId));
    const own = grants.filter((grant) => grant.userId === caller.id && this.isActive(grant));
    return own.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  }

  /** Also one that another process created a moment ago. @throws Problem NOT_FOUND */
  async find(grantId: string, caller: Caller): Promise<OAuthGrant> {
    if (!this.registry.grant(grantId)) await this.live.catchUp();
    const grant = this.registry.grant(grantId);
    if (!grant || caller.kind !== 'user' || grant.userId !== caller.id || !this.isActive(grant))
      throw notFound('Grant');
    return grant;
  }

  /** Undefined when it is revoked, or the person's membership has ended. @throws LogUnavailable */
  active(grantId: string): Promise<OAuthGrant | undefined> {
    const grant = () => this.registry.grant(grantId);
    return this.lease.whileHeld(
      () => {
        const found = grant();
        return found && this.isActive(found) ? found : undefined;
      },
      () => grant() === undefined,
    );
  }

  private isActive(grant: OAuthGrant): boolean {
    return grantor(grant, this.registry.member(grant.organizationId, grant.userId)) !== undefined;
  }
}
