import { Injectable } from '@nestjs/common';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { RevocationReason } from '@ledgerline/contracts/events/oauth-grant.events';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { RevokeGrant } from './revoke-grant.command';

/** The end of what a person has allowed programs, as events by the caller. May be repeated. */
@Injectable()
export class GrantRevocation {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
  ) {}

  /** By the person, in every organization, also what another process recorded a moment ago. @throws LogUnavailable */
  async revokeAll(userId: string, context: CommandContext): Promise<void> {
    await this.live.catchUp();
    for (const organizationId of this.registry.rolesOf(userId).keys())
      await this.revokeIn(organizationId, userId, 'person', context);
  }

  /** @throws LogUnavailable */
  async revokeIn(organizationId: string, userId: string, reason: RevocationReason, context: CommandContext) {
    for (const grant of this.registry.grantsOf(organizationId).filter((each) => each.userId === userId))
      await this.revoke(grant, reason, context);
  }

  /** Whatever the request says of revisions and repetitions, which is not about its grants. @throws LogUnavailable */
  async revoke(
    grant: Pick<OAuthGrant, 'id' | 'organizationId'>,
    reason: RevocationReason,
    { caller, client, requestId }: CommandContext,
  ): Promise<void> {
    try {
      await this.commands.execute(new RevokeGrant(grant, reason, { caller, client, requestId }));
    } catch (error) {
      const isRevoked = error instanceof Rejection && error.fact === 'OAUTH_GRANT_NOT_FOUND';
      if (!isRevoked) throw error; // another request was quicker
    }
  }
}
