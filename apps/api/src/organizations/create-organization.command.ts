import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Organization } from '@ledgerline/domain/registry/organizations';
import { organization } from '@ledgerline/domain/organizations/organization.decider';
import type { Asker, Written } from '../commands/attempt';
import { Attempts } from '../commands/attempts';
import { Decisions } from '../commands/decisions';
import { present } from '../http/present';
import { forbidden } from '../http/problems';

/** Whoever creates an organization owns it. */
export class CreateOrganization extends Command<Written<Organization>> {
  constructor(
    readonly input: { readonly name: string },
    readonly asker: Asker,
  ) {
    super();
  }
}

@CommandHandler(CreateOrganization)
export class CreateOrganizationHandler implements ICommandHandler<CreateOrganization> {
  constructor(
    private readonly attempts: Attempts,
    private readonly decisions: Decisions,
  ) {}

  async execute({ input, asker }: CreateOrganization): Promise<Written<Organization>> {
    if (asker.caller.kind !== 'user') throw forbidden();
    const attempt = await this.attempts.begin(asker, 'CreateOrganization', input, 'org');
    const id = attempt.thingId;
    const data = { organizationId: id, name: input.name, ownerId: asker.caller.id };
    const stream = `${id}-organization-${id}`;
    const written = await this.decisions.take(organization, stream, { type: 'CreateOrganization', data }, attempt);
    return written.as((registry) => present(registry.organization(id)));
  }
}
