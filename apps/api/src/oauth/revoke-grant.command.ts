import type { RevocationReason } from '@ledgerline/contracts/events/oauth-grant.events';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { oauthGrant } from '@ledgerline/domain/oauth-grants/oauth-grant.decider';
import { grantStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, deleted } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { StoredTokens } from './stored-tokens';

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
      { decider: oauthGrant, stream: grantStream(organizationId, id), command, answer: deleted },
      started,
    );
    await this.tokens.deleteOf(id);
    return written;
  }
}
