import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { StatusPageDetails } from '@ledgerline/contracts/events/status-page.events';
import type { StatusPage } from '@ledgerline/contracts/records';
import { statusPage, statusSlug } from '@ledgerline/domain/status-pages/status-page.decider';
import { statusPageStream, statusSlugStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { slugTaken } from '../links/slug-reservations';
import { ManagedStatusPages } from './managed-status-pages';

/** Creates a page: first reserves its slug for the organization. */
export class CreateStatusPage extends Command<CommandResult<StatusPage>> {
  constructor(
    readonly input: StatusPageDetails,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateStatusPage)
export class CreateStatusPageHandler implements ICommandHandler<CreateStatusPage> {
  constructor(
    private readonly pages: ManagedStatusPages,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ input, context }: CreateStatusPage): Promise<CommandResult<StatusPage>> {
    const { organizationId, slug } = input;
    assertMay(context.caller, 'status-pages:write', { organizationId });
    await this.pages.assertMonitors(organizationId, input.monitorIds);
    const started = await this.idempotency.start(context, 'CreateStatusPage', input, newId('status'));
    const { id } = started;
    try {
      await this.runner.run(
        {
          decider: statusSlug,
          stream: statusSlugStream(slug),
          command: { type: 'ReserveStatusSlug', data: { slug, organizationId } },
          answer: () => true,
        },
        started,
      );
      return await this.runner.run(
        {
          decider: statusPage,
          stream: statusPageStream(organizationId, slug),
          command: { type: 'CreateStatusPage', data: { ...input, statusPageId: id } },
          answer: (registry) => registry().statusPage(id),
        },
        started,
      );
    } catch (error) {
      const isTaken = error instanceof Rejection && ['SLUG_TAKEN', 'STATUS_PAGE_EXISTS'].includes(error.fact);
      throw isTaken ? slugTaken() : error;
    }
  }
}
