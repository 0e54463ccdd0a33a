import type { Link } from '@ledgerline/contracts/records';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { LinkCreation, type NewLink } from './link-creation';

export class CreateLink extends Command<CommandResult<Link>> {
  constructor(
    readonly input: NewLink,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateLink)
export class CreateLinkHandler implements ICommandHandler<CreateLink> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly creation: LinkCreation,
  ) {}

  async execute({ input, context }: CreateLink): Promise<CommandResult<Link>> {
    assertMay(context.caller, 'links:write', { organizationId: input.organizationId });
    const started = await this.idempotency.start(context, 'CreateLink', input, newId('link'));
    return this.creation.create(input, started);
  }
}
