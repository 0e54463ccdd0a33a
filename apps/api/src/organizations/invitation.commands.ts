import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { Invitation, Organization } from '@ledgerline/contracts/records';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type CommandResult, IdempotencyStore, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { People } from '../accounts/people';
import { notFound } from '../http/problems';
import { InvitationAddresses } from './invitation-addresses';
import { ManagedOrganizations, userOf } from './organization.commands';
import { memberIn, type MemberEntry } from './organization.dto';

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
        stream: RECORD_KINDS.organizations.stream(organizationId),
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

/**
 * Needs both: the id, whose 80 random bits only the mail and the inviting organization have, and an account with the
 * invited address. Without a mail server, addresses of accounts are not verified, so the address alone proves nothing.
 */
export class AcceptInvitation extends Command<CommandResult<MemberEntry>> {
  constructor(
    readonly invitationId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const UNKNOWN = 'unknown';

@CommandHandler(AcceptInvitation)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitation> {
  constructor(
    private readonly people: People,
    private readonly addresses: InvitationAddresses,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ invitationId, context }: AcceptInvitation): Promise<CommandResult<MemberEntry>> {
    const { id: userId } = userOf(context.caller);
    const organizationId = await this.organizationOf(invitationId, userId);
    // once accepted it is not found any more, but a repeated request still finds its organization
    const started = await this.idempotency.start(context, 'AcceptInvitation', { invitationId }, organizationId);
    if (started.id === UNKNOWN) throw notFound('Invitation');
    const written = await this.runner.run(
      {
        decider: organization,
        stream: RECORD_KINDS.organizations.stream(started.id),
        command: { type: 'AcceptInvitation', data: { invitationId, userId, at: new Date() } },
        answer: (registry) => memberIn(registry(), started.id, userId),
        revision: (registry) => registry.invitation(invitationId)?.revision,
      },
      started,
    );
    await this.addresses.remove([invitationId]);
    return written;
  }

  private async organizationOf(invitationId: string, userId: string): Promise<string> {
    const person = (await this.people.find([userId])).get(userId);
    const invitations = person ? await this.addresses.to(person.email) : [];
    return invitations.find((each) => each.invitationId === invitationId)?.organizationId ?? UNKNOWN;
  }
}
