import type { StatusPageSettings } from '@ledgerline/contracts/events/status-page.events';
import type { StatusPage } from '@ledgerline/contracts/records';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { statusPage, type StatusPageCommand } from '@ledgerline/domain/status-pages/status-page.decider';
import { statusPageStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, deleted } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { ManagedStatusPages } from './managed-status-pages';

/** Updates a page, or deletes it if there are no changes to make (null); answers null for a deleted one. */
export class ChangeStatusPage extends Command<CommandResult<StatusPage | null>> {
  constructor(
    readonly statusPageId: string,
    readonly changes: Partial<StatusPageSettings> | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeStatusPage)
export class ChangeStatusPageHandler implements ICommandHandler<ChangeStatusPage> {
  constructor(
    private readonly pages: ManagedStatusPages,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ statusPageId, changes, context }: ChangeStatusPage): Promise<CommandResult<StatusPage | null>> {
    const { organizationId, slug } = await this.pages.find(statusPageId, context.caller, 'status-pages:write');
    await this.pages.assertMonitors(organizationId, changes?.monitorIds);
    const command: StatusPageCommand =
      changes === null
        ? { type: 'DeleteStatusPage', data: { statusPageId } }
        : { type: 'UpdateStatusPage', data: { statusPageId, changes } };
    const started = await this.idempotency.start(context, command.type, { statusPageId, ...changes }, statusPageId);
    const answer = changes === null ? deleted : (registry: () => Registry) => registry().statusPage(statusPageId);
    return this.runner.run(
      { decider: statusPage, stream: statusPageStream(organizationId, slug), command, answer },
      started,
    );
  }
}
