import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { OAuthGrantDetails, RevocationReason } from '@ledgerline/contracts/events/api-key.events';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { type Caller, grantor } from '@ledgerline/domain/access/caller';
import { RECORDS } from '@ledgerline/domain/records/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { type CommandContext, type CommandResult, deletionResult } from '../../commands/command-context';
import { Resource } from '../../commands/resource';
import { ActOnRecord } from '../../commands/resource.commands';
import { notFound } from '../../http/problems';
import { StoredTokens } from './stored-tokens';

/**
 * The grants that people have given clients, which is their own alone: who sends a command about a grant has found it
 * for them.
 */
@Injectable()
export class OAuthGrants extends Resource<OAuthGrant, OAuthGrantDetails, OAuthGrant> {
  readonly kind = 'oauthGrants';
  readonly defaults = {};

  override authorize(): void {}

  /** So none is found by its id alone. */
  override find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override records(grants: readonly OAuthGrant[]): readonly OAuthGrant[] {
    return grants;
  }
}

/** The end of what a person has allowed programs, as events by the caller. May be repeated. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
    private readonly tokens: StoredTokens,
  ) {}

  /** No process accepts its tokens when it is answered. */
  async end(grant: OAuthGrant, reason: RevocationReason, context: CommandContext): Promise<CommandResult<null>> {
    const revoking = {
      type: RECORDS.oauthGrants.commands.deletes,
      body: { reason },
      run: () => ({ answer: deletionResult }),
    };
    const written = await this.commands.execute(new ActOnRecord(OAuthGrants, grant, revoking, context));
    await this.tokens.deleteOf(grant.id);
    return written;
  }

  /** By the person, in every organization, also what another process recorded a moment ago. @throws LogUnavailable */
  async revokeAll(userId: string, context: CommandContext): Promise<void> {
    await this.live.catchUp();
    for (const organizationId of this.registry.rolesOf(userId).keys())
      await this.revokeIn(organizationId, userId, 'person', context);
  }

  /** @throws LogUnavailable */
  async revokeIn(organizationId: string, userId: string, reason: RevocationReason, context: CommandContext) {
    for (const grant of this.registry.list('oauthGrants', organizationId).filter((each) => each.userId === userId))
      await this.revoke(grant, reason, context);
  }

  /** Whatever the request says of revisions and repetitions, which is not about its grants. @throws LogUnavailable */
  async revoke(
    grant: OAuthGrant,
    reason: RevocationReason,
    { caller, client, requestId }: CommandContext,
  ): Promise<void> {
    try {
      await this.end(grant, reason, { caller, client, requestId });
    } catch (error) {
      const isRevoked = error instanceof Rejection && error.fact === 'OAUTH_GRANT_NOT_FOUND';
      if (!isRevoked) throw error; // another request was quicker
    }
  }
}

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
    const grants = [...caller.roles.keys()].flatMap((organizationId) =>
      this.registry.list('oauthGrants', organizationId),
    );
    const own = grants.filter((grant) => grant.userId === caller.id && this.isActive(grant));
    return own.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  }

  /** Finds a grant, also one that another process created a moment ago. @throws Problem NOT_FOUND */
  async find(grantId: string, caller: Caller): Promise<OAuthGrant> {
    const grant = await this.live.find(() => this.registry.find('oauthGrants', grantId));
    if (!grant || caller.kind !== 'user' || grant.userId !== caller.id || !this.isActive(grant))
      throw notFound('Grant');
    return grant;
  }

  /** Undefined when it is revoked, or the person's membership has ended. @throws LogUnavailable */
  active(grantId: string): Promise<OAuthGrant | undefined> {
    const grant = () => this.registry.find('oauthGrants', grantId);
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
