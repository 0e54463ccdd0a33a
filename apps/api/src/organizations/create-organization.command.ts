import type { Organization } from '@ledgerline/contracts/records';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import { organizationStream } from '@ledgerline/platform/event-store/streams';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { forbidden } from '../http/problems';

/** The person who creates an organization owns it. */
export class CreateOrganization extends Command<CommandResult<Organization>> {
  constructor(
    readonly input: { readonly name: string },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateOrganization)
export class CreateOrganizationHandler implements ICommandHandler<CreateOrganization> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ input, context }: CreateOrganization): Promise<CommandResult<Organization>> {
    if (context.caller.kind !== 'user') throw forbidden({ needs: 'person' });
    const started = await this.idempotency.start(context, 'CreateOrganization', input, newId('org'));
    const { id } = started;
    return this.runner.run(
      {
        decider: organization,
        stream: organizationStream(id),
        command: {
          type: 'CreateOrganization',
          data: { organizationId: id, name: input.name, ownerId: context.caller.id },
        },
        answer: (registry) => registry().organization(id),
      },
      started,
    );
  }
}
