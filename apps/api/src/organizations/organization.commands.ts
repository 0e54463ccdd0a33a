import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { Organization } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { Action, Caller, UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertMay } from '../auth/assert-may';
import { forbidden, notFound } from '../http/problems';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type OrganizationCommand, organization } from '@ledgerline/domain/organizations/organization.decider';
import { type CommandContext, type CommandResult, IdempotencyStore, newId } from '../commands/command-context';
import { type CommandRun, CommandRunner } from '../commands/command-runner';
import { InvitationAddresses } from './invitation-addresses';

/** Organizations as their members find them. */
@Injectable()
export class ManagedOrganizations {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also one that another process created, or added the caller to, a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<Organization> {
    const user = userOf(caller);
    if (!this.registry.member(id, user.id)) await this.live.catchUp();
    assertMay({ ...user, roles: this.registry.rolesOf(user.id) }, action, { organizationId: id });
    const organization = this.registry.organization(id);
    if (!organization) throw notFound('Organization');
    return organization;
  }
}

/** Organizations are a matter of people. @throws Problem FORBIDDEN */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind !== 'user') throw forbidden({ needs: 'person' });
  return caller;
}

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
        stream: RECORD_KINDS.organizations.stream(id),
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
    await this.organizations.find(organizationId, context.caller, 'organizations:read');
    const command = change(userOf(context.caller).id);
    const started = await this.idempotency.start(
      context,
      command.type,
      { organizationId, ...command.data },
      organizationId,
    );
    const written = await this.runner.run(
      { decider: organization, stream: RECORD_KINDS.organizations.stream(organizationId), command, ...entry },
      started,
    );
    if (command.type === 'RevokeInvitation') await this.addresses.remove([command.data.invitationId]);
    return written;
  }
}
