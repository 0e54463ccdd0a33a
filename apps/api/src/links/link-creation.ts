import { Injectable } from '@nestjs/common';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { actorOf } from '@ledgerline/domain/access/caller';
import { link } from '@ledgerline/domain/links/link.decider';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Link } from '@ledgerline/contracts/records';
import { linkOf } from '@ledgerline/domain/registry/link';
import { linkStream } from '@ledgerline/platform/event-store/streams';
import { CommandRunner } from '../commands/command-runner';
import type { StartedCommand } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { LinkTargets } from './link-targets';
import { randomSlug } from './random-slug';
import { slugTaken, SlugReservations, undefinedIfRejected } from './slug-reservations';

/** Without a slug it gets a random one. */
export type NewLink = Omit<LinkDetails, 'slug'> & { readonly slug: string | null };

const MAX_RANDOM_SLUGS = 5;

/** Creates links: reserves the slug, then appends the link. A repeated command goes on where the first one ended. */
@Injectable()
export class LinkCreation {
  constructor(
    private readonly runner: CommandRunner,
    private readonly slugs: SlugReservations,
    private readonly targets: LinkTargets,
  ) {}

  /** @throws Problem CONFLICT when the slug is taken, VALIDATION_ERROR when it leads back to itself */
  async create(input: NewLink, started: StartedCommand): Promise<CommandResult<Link>> {
    if (input.slug !== null) await this.targets.assertEnd({ ...input, slug: input.slug });
    const choices = input.slug === null ? MAX_RANDOM_SLUGS : 1;
    for (let n = 0; n < choices; n++) {
      const slug = input.slug ?? randomSlug(started.id, n);
      const created = await this.createAs({ ...input, slug }, started);
      if (created) return created;
    }
    throw slugTaken();
  }

  /**
   * Undefined when the slug is taken. A slug the organization already holds goes on with the link it was reserved for:
   * if that link exists it stays, and if a crash came before it, the link is created now.
   */
  private async createAs(details: LinkDetails, started: StartedCommand): Promise<CommandResult<Link> | undefined> {
    const { organizationId, slug } = details;
    const wanted = { linkId: started.id, organizationId };
    const reservation = await this.slugs.begin(slug, wanted, started);
    const created = await this.runner.create(creationOf(details, wanted.linkId, started), started, [reservation]);
    if (created) return created;
    const holder = await this.slugs.reserve(slug, wanted, started);
    if (holder.organizationId !== organizationId) return undefined;
    return undefinedIfRejected('LINK_EXISTS', this.runner.run(creationOf(details, holder.linkId, started), started));
  }
}

function creationOf(details: LinkDetails, linkId: string, { caller, startedAt }: StartedCommand) {
  const createdBy = actorOf(caller).id;
  return {
    decider: link,
    stream: linkStream(details.organizationId, linkId),
    command: { type: 'CreateLink', data: { ...details, linkId, createdBy, startedAt } } as const,
    answer: (_: unknown, history: readonly Recorded[]) => linkOf(history),
  };
}
