import { Inject } from '@nestjs/common';
import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { mayWriteLinks, type Caller } from '@ledgerline/domain/access/caller';
import type { Link } from '@ledgerline/domain/registry/registry';
import { link } from '@ledgerline/domain/links/link.decider';
import { slug as slugRules } from '@ledgerline/domain/links/slug.decider';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { Asker, Attempt, Written } from '../commands/attempt';
import { Attempts } from '../commands/attempts';
import { Decisions } from '../commands/decisions';
import { decided } from '@ledgerline/platform/event-store/decided';
import { present } from '../http/present';
import { EVENT_STORE } from '../tokens';
import { randomSlug } from './random-slug';

/** Without a slug it gets a random one. */
export type NewLink = Omit<LinkDetails, 'slug'> & { readonly slug: string | null };

export class CreateLink extends Command<Written<Link>> {
  constructor(
    readonly input: NewLink,
    readonly asker: Asker,
  ) {
    super();
  }
}

const MAX_RANDOM_SLUGS = 5;

@CommandHandler(CreateLink)
export class CreateLinkHandler implements ICommandHandler<CreateLink> {
  constructor(
    private readonly attempts: Attempts,
    private readonly decisions: Decisions,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async execute({ input, asker }: CreateLink): Promise<Written<Link>> {
    assertMay(mayWriteLinks, asker.caller, input.organizationId);
    const attempt = await this.attempts.begin(asker, 'CreateLink', input, 'link');
    const choices = input.slug === null ? MAX_RANDOM_SLUGS : 1;
    for (let n = 0; n < choices; n++) {
      const slug = input.slug ?? randomSlug(attempt.thingId, n);
      const created = await this.createAs({ ...input, slug }, attempt);
      if (created) return created;
    }
    throw slugTaken();
  }

  /** Undefined when the slug is somebody's. */
  private async createAs(details: LinkDetails, attempt: Attempt): Promise<Written<Link> | undefined> {
    const linkId = await this.reserve(details, attempt);
    if (linkId === undefined) return undefined;
    const data = { ...details, linkId, createdBy: nameOf(attempt.caller) };
    const stream = `${details.organizationId}-link-${linkId}`;
    const written = await unless('LINK_EXISTS', () =>
      this.decisions.take(link, stream, { type: 'CreateLink', data }, attempt),
    );
    return written?.as((registry) => present(registry.link(linkId)));
  }

  /**
   * The id the link gets, or undefined for a foreign slug. A slug the organization already holds goes on with the id it
   * was reserved for: if that link exists it stays, and if a crash came before it, the link is created now.
   */
  private async reserve({ slug, organizationId }: LinkDetails, attempt: Attempt): Promise<string | undefined> {
    const stream = `global-slug-${slug}`;
    const data = { slug, linkId: attempt.thingId, organizationId };
    const reserved = await unless('SLUG_TAKEN', () =>
      this.decisions.take(slugRules, stream, { type: 'ReserveSlug', data }, attempt),
    );
    if (reserved) return attempt.thingId;
    const [first] = (await this.store.readStream(stream, { limit: 1 })).map(decided);
    if (first?.type !== 'SlugReserved' || first.data.organizationId !== organizationId) return undefined;
    return first.data.linkId;
  }
}

const slugTaken = () =>
  new Problem('CONFLICT', 'This slug is taken', [{ field: 'slug', message: 'slug is taken; choose another' }]);

const nameOf = (caller: Caller): string => (caller.kind === 'anonymous' ? 'system' : caller.id);

/** Undefined when the rules refuse it for that fact. */
async function unless<T>(fact: RejectionFact, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Rejection && error.fact === fact) return undefined;
    throw error;
  }
}
