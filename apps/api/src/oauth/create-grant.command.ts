import type { OAuthGrant } from '@ledgerline/contracts/records';
import type { OAuthGrantDetails } from '@ledgerline/contracts/events/oauth-grant.events';
import { oauthGrant } from '@ledgerline/domain/oauth-grants/oauth-grant.decider';
import { grantStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';

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
        stream: grantStream(details.organizationId, started.id),
        command: { type: 'CreateOAuthGrant', data: { ...details, grantId: started.id } },
        answer: (registry) => registry().grant(started.id),
      },
      started,
    );
  }
}
