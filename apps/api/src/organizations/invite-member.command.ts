import type { Invitation, Organization } from '@ledgerline/contracts/records';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { organizationStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { InvitationAddresses } from './invitation-addresses';
import { ManagedOrganizations, userOf } from './managed-organizations';

const VALID_FOR_MS = 7 * 24 * 60 * 60_000;

interface Invited {
  readonly invitation: Invitation;
  readonly organization: Organization;
}

/** The address is stored beside the events first, and encrypted in the event. */
export class InviteMember extends Command<CommandResult<Invited>> {
  constructor(
    readonly organizationId: string,
    readonly input: { readonly email: string; readonly role: Role },
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(InviteMember)
export class InviteMemberHandler implements ICommandHandler<InviteMember> {
  constructor(
    private readonly organizations: ManagedOrganizations,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly addresses: InvitationAddresses,
  ) {}

  async execute({ organizationId, input: { email, role }, context }: InviteMember): Promise<CommandResult<Invited>> {
    await this.organizations.find(organizationId, context.caller, 'members:invite');
    const body = { organizationId, email, role };
    const started = await this.idempotency.start(context, 'InviteMember', body, newId('inv'));
    const invitationId = started.id;
    const expiresAt = new Date(Date.now() + VALID_FOR_MS).toISOString();
    return this.runner.run(
      {
        decider: organization,
        stream: organizationStream(organizationId),
        command: { type: 'InviteMember', data: { invitationId, role, expiresAt, by: userOf(context.caller).id } },
        personal: new Map([[invitationId, { email }]]),
        prepare: () => this.addresses.add({ invitationId, organizationId, email }),
        answer: (registry) => invitedIn(registry(), organizationId, invitationId),
      },
      started,
    );
  }
}

function invitedIn(registry: Registry, organizationId: string, invitationId: string): Invited | undefined {
  const [invitation, invitedTo] = [registry.invitation(invitationId), registry.organization(organizationId)];
  return invitation && invitedTo && { invitation, organization: invitedTo };
}
