import type { Website } from '@ledgerline/contracts/records';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { omit } from '@ledgerline/domain/changes';
import { website, type DeleteWebsite, type UpdateWebsite } from '@ledgerline/domain/websites/website.decider';
import { websiteStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, deleted } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { ManagedWebsites } from './managed-websites';

/** Updates or deletes a website; answers null for a deleted one. */
export class ChangeWebsite extends Command<CommandResult<Website | null>> {
  constructor(
    readonly websiteId: string,
    readonly change: UpdateWebsite | DeleteWebsite,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeWebsite)
export class ChangeWebsiteHandler implements ICommandHandler<ChangeWebsite> {
  constructor(
    private readonly websites: ManagedWebsites,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ websiteId: id, change, context }: ChangeWebsite): Promise<CommandResult<Website | null>> {
    const current = await this.websites.find(id, context.caller, 'websites:write');
    const command = change.type === 'UpdateWebsite' ? this.permitted(change, current, context) : change;
    const started = await this.idempotency.start(context, change.type, { id, ...change.data }, id);
    const answer = change.type === 'DeleteWebsite' ? deleted : (registry: () => Registry) => registry().website(id);
    return this.runner.run(
      { decider: website, stream: websiteStream(current.organizationId, id), command, answer },
      started,
    );
  }

  /** Without the retention that the website has anyway: changing it takes a permission of its own. */
  private permitted(change: UpdateWebsite, current: Website, { caller }: CommandContext): UpdateWebsite {
    const { changes } = change.data;
    if (changes.retentionDays === undefined) return change;
    if (changes.retentionDays === current.retentionDays)
      return { ...change, data: { changes: omit(changes, 'retentionDays') } };
    assertMay(caller, 'retention:change', current, 'Website');
    return change;
  }
}
