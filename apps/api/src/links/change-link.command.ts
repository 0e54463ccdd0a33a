import { link, type DeleteLink, type UpdateLink } from '@ledgerline/domain/links/link.decider';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Link } from '@ledgerline/contracts/records';
import { linkOf } from '@ledgerline/domain/registry/link';
import { linkStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, deleted } from '../commands/command-runner';
import { IdempotencyStore, type StartedCommand } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { invalid } from '../http/problems';
import { LinkTargets } from './link-targets';
import { ManagedLinks } from './managed-links';
import { slugTaken, SlugReservations } from './slug-reservations';

/** Updates or deletes a link; answers null for a deleted one. */
export class ChangeLink extends Command<CommandResult<Link | null>> {
  constructor(
    readonly linkId: string,
    readonly change: UpdateLink | DeleteLink,
    readonly context: CommandContext,
    /** The one it is said to belong to. */
    readonly organizationId?: string,
  ) {
    super();
  }
}

@CommandHandler(ChangeLink)
export class ChangeLinkHandler implements ICommandHandler<ChangeLink> {
  constructor(
    private readonly links: ManagedLinks,
    private readonly slugs: SlugReservations,
    private readonly targets: LinkTargets,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ linkId: id, change, context, organizationId }: ChangeLink): Promise<CommandResult<Link | null>> {
    const current = await this.links.find(id, context.caller, 'links:write');
    if (organizationId !== undefined && organizationId !== current.organizationId) throw organizationFixed();
    if (change.type === 'UpdateLink') await this.targets.assertEnd({ ...current, ...change.data.changes });
    const started = await this.idempotency.start(context, change.type, { id, ...change.data }, id);
    if (change.type === 'UpdateLink') await this.reserveSlug(change, current, started);
    const answer =
      change.type === 'DeleteLink' ? deleted : (_: unknown, history: readonly Recorded[]) => linkOf(history);
    return this.runner.run(
      { decider: link, stream: linkStream(current.organizationId, id), command: change, answer },
      started,
    );
  }

  /** Not for a command that will be refused anyway: a reserved slug stays reserved. */
  private async reserveSlug({ data }: UpdateLink, current: Link, started: StartedCommand): Promise<void> {
    const { slug } = data.changes;
    const { expectedRevision = current.revision } = started;
    if (slug === undefined || slug === current.slug || expectedRevision !== current.revision) return;
    const wanted = { linkId: current.id, organizationId: current.organizationId };
    const holder = await this.slugs.reserve(slug, wanted, started);
    if (holder.linkId !== current.id) throw slugTaken();
  }
}

const organizationFixed = () =>
  invalid([{ field: 'organizationId', message: 'The organization of a link cannot change.' }]);
