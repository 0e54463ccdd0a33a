import type { Website } from '@ledgerline/contracts/records';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import { website } from '@ledgerline/domain/websites/website.decider';
import { websiteStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';

export class RegisterWebsite extends Command<CommandResult<Website>> {
  constructor(
    readonly input: WebsiteDetails,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterWebsite)
export class RegisterWebsiteHandler implements ICommandHandler<RegisterWebsite> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ input, context }: RegisterWebsite): Promise<CommandResult<Website>> {
    assertMay(context.caller, 'websites:write', { organizationId: input.organizationId });
    if (input.retentionDays) assertMay(context.caller, 'retention:change', { organizationId: input.organizationId });
    const started = await this.idempotency.start(context, 'RegisterWebsite', input, newId('site'));
    const { id } = started;
    return this.runner.run(
      {
        decider: website,
        stream: websiteStream(input.organizationId, id),
        command: { type: 'RegisterWebsite', data: { ...input, websiteId: id } },
        answer: (registry) => registry().website(id),
      },
      started,
    );
  }
}
