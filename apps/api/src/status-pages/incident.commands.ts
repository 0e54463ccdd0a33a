import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { Incident } from '@ledgerline/contracts/records';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { incident, type IncidentCommand } from '@ledgerline/domain/status-pages/incident.decider';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type CommandResult, IdempotencyStore, deleted, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { Records } from '../resources/resource.queries';
import type { IncidentChanges, NewIncident } from './incident.dto';
import { StatusPages } from './status-pages';

export class CreateIncident extends Command<CommandResult<Incident>> {
  constructor(
    readonly statusPageId: string,
    readonly input: NewIncident,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateIncident)
export class CreateIncidentHandler implements ICommandHandler<CreateIncident> {
  constructor(
    private readonly pages: StatusPages,
    private readonly found: Records,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ statusPageId, input, context }: CreateIncident): Promise<CommandResult<Incident>> {
    const { organizationId } = await this.found.find(this.pages, statusPageId, context.caller, this.pages.writes);
    await this.pages.assertMonitors(organizationId, input.monitorIds);
    const started = await this.idempotency.start(context, 'CreateIncident', { statusPageId, ...input }, newId('inc'));
    const { id, startedAt } = started;
    const data = { ...input, incidentId: id, organizationId, statusPageId, at: startedAt.toISOString() };
    return this.runner.run(
      {
        decider: incident,
        stream: RECORD_KINDS.incidents.stream({ organizationId, id }),
        command: { type: 'CreateIncident', data },
        answer: (registry) => registry().find('incidents', id),
      },
      started,
    );
  }
}

/** Updates an incident, or deletes it if there are no changes to make (null); answers null for a deleted one. */
export class ChangeIncident extends Command<CommandResult<Incident | null>> {
  constructor(
    readonly statusPageId: string,
    readonly incidentId: string,
    readonly changes: IncidentChanges | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeIncident)
export class ChangeIncidentHandler implements ICommandHandler<ChangeIncident> {
  constructor(
    private readonly pages: StatusPages,
    private readonly found: Records,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute(sent: ChangeIncident): Promise<CommandResult<Incident | null>> {
    const { statusPageId, incidentId, changes, context } = sent;
    const page = await this.found.find(this.pages, statusPageId, context.caller, this.pages.writes);
    const { id, organizationId } = await this.pages.findIncident(page, incidentId);
    await this.pages.assertMonitors(organizationId, changes?.changes.monitorIds);
    const type = changes === null ? 'DeleteIncident' : 'UpdateIncident';
    const started = await this.idempotency.start(context, type, { id, ...changes }, id);
    const command: IncidentCommand =
      changes === null
        ? { type: 'DeleteIncident', data: {} }
        : { type: 'UpdateIncident', data: { ...changes, at: started.startedAt.toISOString() } };
    const answer = changes === null ? deleted : (registry: () => Registry) => registry().find('incidents', id);
    return this.runner.run(
      { decider: incident, stream: RECORD_KINDS.incidents.stream({ organizationId, id }), command, answer },
      started,
    );
  }
}
