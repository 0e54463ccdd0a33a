import { organization, type OrganizationCommand } from '@ledgerline/domain/organizations/organization.decider';
import { organizationStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, type CommandRun } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { InvitationAddresses } from './invitation-addresses';
import { ManagedOrganizations, userOf } from './managed-organizations';

/** Changes an organization, a member or an invitation, which are one stream. */
export class ChangeOrganization<Entry> extends Command<CommandResult<Entry>> {
  constructor(
    readonly organizationId: string,
    /** The command, by the person with this id. */
    readonly change: (by: string) => OrganizationCommand,
    /** What is answered, whose revision If-Match names, and personal data of the member that is changed. */
    readonly entry: Pick<CommandRun<never, never, never, Entry>, 'answer' | 'revision' | 'personal'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeOrganization)
export class ChangeOrganizationHandler implements ICommandHandler<ChangeOrganization<unknown>> {
  constructor(
    private readonly organizations: ManagedOrganizations,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly addresses: InvitationAddresses,
  ) {}

  async execute({
    organizationId,
    change,
    entry,
    context,
  }: ChangeOrganization<unknown>): Promise<CommandResult<unknown>> {
    await this.organizations.find(organizationId, context.caller, 'organization:read');
    const command = change(userOf(context.caller).id);
    const started = await this.idempotency.start(
      context,
      command.type,
      { organizationId, ...command.data },
      organizationId,
    );
    const written = await this.runner.run(
      { decider: organization, stream: organizationStream(organizationId), command, ...entry },
      started,
    );
    if (command.type === 'RevokeInvitation') await this.addresses.remove([command.data.invitationId]);
    return written;
  }
}
