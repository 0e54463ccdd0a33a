import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import type { OAuthGrantDetails, RevocationReason } from '@ledgerline/contracts/events/api-key.events';
import { oauthGrant } from '@ledgerline/domain/oauth-grants/oauth-grant.decider';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Injectable } from '@nestjs/common';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type CommandContext, type CommandResult, IdempotencyStore, deleted } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { StoredTokens } from './stored-tokens';
import { type Caller, grantor } from '@ledgerline/domain/access/caller';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { notFound } from '../http/problems';

/** Records what a person allowed a client. */
export class CreateGrant extends Command<CommandResult<OAuthGrant>> {
  constructor(
    readonly grantId: string,
    readonly details: OAuthGrantDetails,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateGrant)
export class CreateGrantHandler implements ICommandHandler<CreateGrant> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ grantId, details, context }: CreateGrant): Promise<CommandResult<OAuthGrant>> {
    const started = await this.idempotency.start(context, 'CreateOAuthGrant', details, grantId);
    return this.runner.run(
      {
        decider: oauthGrant,
        stream: RECORD_KINDS.oauthGrants.stream({ organizationId: details.organizationId, id: started.id }),
        command: { type: 'CreateOAuthGrant', data: { ...details, grantId: started.id } },
        answer: (registry) => registry().find('oauthGrants', started.id),
      },
      started,
    );
  }
}

/** Ends a grant: no process accepts its tokens when it is answered. */
export class RevokeGrant extends Command<CommandResult<null>> {
  constructor(
    readonly grant: Pick<OAuthGrant, 'id' | 'organizationId'>,
    readonly reason: RevocationReason,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RevokeGrant)
export class RevokeGrantHandler implements ICommandHandler<RevokeGrant> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly tokens: StoredTokens,
  ) {}

  async execute({ grant: { id, organizationId }, reason, context }: RevokeGrant): Promise<CommandResult<null>> {
    const command = { type: 'RevokeOAuthGrant', data: { reason } } as const;
    const started = await this.idempotency.start(context, command.type, { id, reason }, id);
    const written = await this.runner.run(
      {
        decider: oauthGrant,
        stream: RECORD_KINDS.oauthGrants.stream({ organizationId, id }),
        command,
        answer: deleted,
      },
      started,
    );
    await this.tokens.deleteOf(id);
    return written;
  }
}

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
    for (const grant of this.registry.list('oauthGrants', organizationId).filter((each) => each.userId === userId))
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

  /** Also one that another process created a moment ago. @throws Problem NOT_FOUND */
  async find(grantId: string, caller: Caller): Promise<OAuthGrant> {
    if (!this.registry.find('oauthGrants', grantId)) await this.live.catchUp();
    const grant = this.registry.find('oauthGrants', grantId);
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
