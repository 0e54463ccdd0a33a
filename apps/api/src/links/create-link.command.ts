import { Inject } from '@nestjs/common';
import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { Link, Registry } from '@ledgerline/domain/registry/registry';
import { link } from '@ledgerline/domain/links/link.decider';
import { slug as slugDecider } from '@ledgerline/domain/links/slug.decider';
import { asDecided, type EventStore } from '@ledgerline/platform/event-store/event-store';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId, type StartedCommand } from '../commands/idempotency-store';
import type { Written } from '../commands/written';
import { EVENT_STORE } from '../tokens';
import { randomSlug } from './random-slug';

/** Without a slug it gets a random one. */
export type NewLink = Omit<LinkDetails, 'slug'> & { readonly slug: string | null };

export class CreateLink extends Command<Written<Link>> {
  constructor(
    readonly input: NewLink,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const MAX_RANDOM_SLUGS = 5;

@CommandHandler(CreateLink)
export class CreateLinkHandler implements ICommandHandler<CreateLink> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async execute({ input, context }: CreateLink): Promise<Written<Link>> {
    assertMay(context.caller, 'links:write', { organizationId: input.organizationId });
    const started = await this.idempotency.start(context, 'CreateLink', input, newId('link'));
    const choices = input.slug === null ? MAX_RANDOM_SLUGS : 1;
    for (let n = 0; n < choices; n++) {
      const slug = input.slug ?? randomSlug(started.id, n);
      const created = await this.createAs({ ...input, slug }, started);
      if (created) return created;
    }
    throw slugTaken();
  }

  /** Undefined when the slug is taken. */
  private async createAs(details: LinkDetails, started: StartedCommand): Promise<Written<Link> | undefined> {
    const linkId = await this.reserve(details, started);
    if (linkId === undefined) return undefined;
    const { caller } = started;
    const createdBy = caller.kind === 'anonymous' ? 'system' : caller.id;
    const created = {
      decider: link,
      stream: `${details.organizationId}-link-${linkId}` as const,
      command: { type: 'CreateLink', data: { ...details, linkId, createdBy } } as const,
      answer: (registry: Registry) => registry.link(linkId),
    };
    return unless('LINK_EXISTS', () => this.runner.run(created, started));
  }

  /**
   * The id the link gets, or undefined for a foreign slug. A slug the organization already holds goes on with the id it
   * was reserved for: if that link exists it stays, and if a crash came before it, the link is created now.
   */
  private async reserve({ slug, organizationId }: LinkDetails, started: StartedCommand): Promise<string | undefined> {
    const linkId = started.id;
    const reservation = {
      decider: slugDecider,
      stream: `global-slug-${slug}` as const,
      command: { type: 'ReserveSlug', data: { slug, linkId, organizationId } } as const,
      answer: () => linkId,
    };
    const reserved = await unless('SLUG_TAKEN', () => this.runner.run(reservation, started));
    if (reserved) return linkId;
    const [first] = (await this.store.readStream(reservation.stream, { limit: 1 })).map(asDecided);
    if (first?.type !== 'SlugReserved' || first.data.organizationId !== organizationId) return undefined;
    return first.data.linkId;
  }
}

const slugTaken = () =>
  new Problem('CONFLICT', 'This slug is taken', [{ field: 'slug', message: 'slug is taken; choose another' }]);

/** Undefined when the decider rejects it for that fact. */
async function unless<T>(fact: RejectionFact, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Rejection && error.fact === fact) return undefined;
    throw error;
  }
}
