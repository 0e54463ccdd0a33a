import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import { type CommandContext, type CommandResult, IdempotencyStore } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { notFound } from '../http/problems';
import { People } from '../identity/accounts/people';
import { InvitationAddresses } from './invitation-addresses';
import { memberIn, type MemberEntry } from './organization.dto';
import { userOf } from './organizations';

/**
 * Needs both: the id, whose 80 random bits only the mail and the inviting organization have, and an account with the
 * invited address. Without a mail server, addresses of accounts are not verified, so the address alone proves nothing.
 * It has a handler of its own, as its organization is found by an address, and by a repetition in its key alone.
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
        stream: RECORD_KINDS.organizations.stream({ id: started.id }),
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
