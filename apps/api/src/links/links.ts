import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { Link } from '@ledgerline/contracts/records';
import { actorOf, organizationsOf, type Caller } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/decider';
import { leadsBack, type LinkAddressFields } from '@ledgerline/domain/links/link-addresses';
import { linkSlug as slugDecider } from '@ledgerline/domain/links/link.decider';
import { linkOf } from '@ledgerline/domain/registry/record-changes';
import type { Settings } from '@ledgerline/platform/config/settings';
import {
  type EventStore,
  type AppendRequest,
  decidedIn,
  slugStream,
} from '@ledgerline/platform/event-store/event-store';
import { LinkLookup, readLinkEvents } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { CommandResult, StartedCommand } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { recordOf, Resource } from '../commands/resource';
import { invalid } from '../http/problems';
import { type PlainData } from '../http/record.dto';
import { EVENT_STORE, SETTINGS } from '../tokens';
import { LINK_DEFAULTS, type LinkDto } from './link.dto';
import { Tags } from './tags';

/** The link a slug belongs to, which may not exist yet, or no more. */
interface SlugHolder {
  readonly linkId: string;
  readonly organizationId: string;
}

/** Reserves slugs: the first event of a slug's stream says which link it belongs to, for ever. */
@Injectable()
export class SlugReservations {
  constructor(
    private readonly runner: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** The first event of the slug's stream, for a slug that may be free. */
  begin(slug: string, wanted: SlugHolder, started: StartedCommand): Promise<AppendRequest> {
    return this.runner.begin(reservationOf(slug, wanted), started);
  }

  /** Reserves a slug for a link unless it is reserved already; answers whose it is. */
  async reserve(slug: string, wanted: SlugHolder, started: StartedCommand): Promise<SlugHolder> {
    const reservation = reservationOf(slug, wanted);
    // If-Match is about the link
    const reserving = this.runner.run(reservation, { ...started, expectedRevision: undefined });
    const reserved = await undefinedIfRejected('SLUG_TAKEN', reserving);
    if (reserved) return reserved.entry;
    return holderIn(await this.firstOf(slug));
  }

  /** The link that a slug is reserved for; undefined for a free one. */
  async holderOf(slug: string): Promise<SlugHolder | undefined> {
    const first = await this.firstOf(slug);
    return first.length === 0 ? undefined : holderIn(first);
  }

  private async firstOf(slug: string): Promise<readonly Recorded[]> {
    return decidedIn(await this.store.readStream(slugStream(slug), { limit: 1 }));
  }
}

const reservationOf = (slug: string, wanted: SlugHolder) => ({
  decider: slugDecider,
  stream: slugStream(slug),
  command: { type: 'ReserveSlug', data: { slug, ...wanted } } as const,
  answer: (_: unknown, history: readonly Recorded[]) => holderIn(history),
});

function holderIn([first]: readonly Recorded[]): SlugHolder {
  if (first?.type !== 'SlugReserved') throw new Error('A slug is taken, but its stream does not say by which link.');
  const { linkId, organizationId } = first.data;
  return { linkId, organizationId };
}

export const slugTaken = () =>
  new Problem('CONFLICT', 'This slug is taken', [{ field: 'slug', message: 'slug is taken; choose another' }]);

/** Undefined when the decider rejects it for that fact. */
async function undefinedIfRejected<T>(fact: RejectionFact, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Rejection && error.fact === fact) return undefined;
    throw error;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 8;

/** The nth choice of a slug for a link: looks random, and is the same when the command is tried again. */
function randomSlug(linkId: string, n: number): string {
  const bytes = createHash('sha256').update(`${linkId}:${n}`).digest();
  let rest = bytes.readBigUInt64BE() * 2n ** 64n + bytes.readBigUInt64BE(8);
  let slug = '';
  while (slug.length < LENGTH) {
    slug += ALPHABET.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return slug;
}

/** Where links are, and where they may lead. */
@Injectable()
export class LinkAddresses {
  constructor(
    private readonly links: LinkLookup,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicTrackUrl'>,
  ) {}

  shortUrl({ slug }: Pick<Link, 'slug'>): string {
    return `${this.settings.publicTrackUrl}/${slug}`;
  }

  /**
   * Refuses a link that leads back to itself. Two that are made at the same time may lead to each other; those who follow
   * them are then shown a page. @throws Problem VALIDATION_ERROR · LogUnavailable
   */
  async assertEnd(link: LinkAddressFields): Promise<void> {
    const find = async (slug: string) =>
      this.links.cached(slug) ?? (await this.links.inReadModels(slug)) ?? (await this.links.inStore(slug));
    if (!(await leadsBack(link, this.settings.publicTrackUrl, find))) return;
    const message = 'Must not lead back to this link, also not over other short links.';
    throw invalid([{ field: 'targetUrl', message }]);
  }
}

/** Without a slug it gets a random one. */
export type NewLink = Omit<LinkDetails, 'slug'> & { readonly slug: string | null };

const ID = /^\w{1,64}$/;
const MAX_RANDOM_SLUGS = 5;

/** Links are many, so they are found in their streams, with every write included. */
@Injectable()
export class Links extends Resource<Link, NewLink, PlainData<LinkDto>> {
  readonly kind = 'links';
  readonly defaults = LINK_DEFAULTS;
  @Inject(Tags)
  private readonly tags: Tags;

  constructor(
    private readonly runner: CommandRunner,
    private readonly slugs: SlugReservations,
    private readonly addresses: LinkAddresses,
    private readonly live: LiveRegistry,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {
    super();
  }

  override entry(_: unknown, _id: string, history: readonly Recorded[]): Link | undefined {
    return linkOf(history);
  }

  /** One that a restored store lacks may be lost. @throws LogReplaced */
  override async find(id: string, caller: Caller): Promise<Link | undefined> {
    const organizations = ID.test(id) ? organizationsOf(caller) : [];
    const found = await Promise.all(organizations.map((each) => readLinkEvents(this.store, each, id)));
    const existing = found.map(linkOf).find((each) => each !== undefined);
    if (!existing) await this.live.assertContinues();
    return existing;
  }

  override async check(
    { organizationId, slug, ...changes }: Partial<NewLink>,
    _: Caller,
    current?: Link,
  ): Promise<void> {
    if (!current) return;
    if (organizationId !== undefined && organizationId !== current.organizationId) throw organizationFixed();
    await this.assertTags(current.organizationId, changes.tagIds);
    await this.addresses.assertEnd({ ...current, ...changes, slug: slug ?? current.slug });
  }

  /**
   * Reserves the slug, then appends the link. A repeated command goes on where the first one ended.
   * @throws Problem CONFLICT when the slug is taken, VALIDATION_ERROR when it leads back to itself
   */
  override async create(input: NewLink, started: StartedCommand): Promise<CommandResult<Link>> {
    await this.assertTags(input.organizationId, input.tagIds);
    if (input.slug !== null) await this.addresses.assertEnd({ ...input, slug: input.slug });
    const choices = input.slug === null ? MAX_RANDOM_SLUGS : 1;
    for (let n = 0; n < choices; n++) {
      const slug = input.slug ?? randomSlug(started.id, n);
      const created = await this.createAs({ ...input, slug }, started);
      if (created) return created;
    }
    throw slugTaken();
  }

  override async data(given: Partial<NewLink>, started: StartedCommand, current?: Link): Promise<object> {
    const { slug, ...others } = omit(given, 'organizationId');
    if (slug == null) return others;
    if (current) await this.reserveSlug(slug, current, started);
    return { ...others, slug };
  }

  override records(links: readonly Link[]): readonly PlainData<LinkDto>[] {
    return links.map((each) => this.record(each));
  }

  record(of: Link): PlainData<LinkDto> {
    const { forwardQuery = true, trackVisits = true, tagIds = [] } = of;
    const tagged = { tagIds: tagIds.length > 0 ? this.tags.existing(tagIds) : [] };
    return { ...recordOf(of), forwardQuery, trackVisits, ...tagged, shortUrl: this.addresses.shortUrl(of) };
  }

  /** @throws Problem VALIDATION_ERROR for what is no tag of the organization */
  async assertTags(organizationId: string, tagIds: readonly string[] = [], field = 'tagIds'): Promise<void> {
    if (tagIds.length > 0) await this.tags.assertKnown(organizationId, tagIds, field);
  }

  /** Puts tags on a link and takes others off. @throws Rejection LINK_NOT_FOUND, LINK_TAGS_FULL */
  tag(
    link: Pick<Link, 'id' | 'organizationId'>,
    tags: { readonly add: readonly string[]; readonly remove: readonly string[] },
    started: StartedCommand,
  ): Promise<CommandResult<Link>> {
    const answer = (_: unknown, history: readonly Recorded[]) => linkOf(history);
    return this.runner.run({ ...this.decision('TagLink', tags, link, started), answer }, started);
  }

  /**
   * Undefined when the slug is taken. A slug the organization already holds goes on with the link it was reserved for:
   * if that link exists it stays, and if a crash came before it, the link is created now.
   */
  private async createAs(details: LinkDetails, started: StartedCommand): Promise<CommandResult<Link> | undefined> {
    const { organizationId, slug } = details;
    const wanted = { linkId: started.id, organizationId };
    const reservation = await this.slugs.begin(slug, wanted, started);
    const created = await this.runner.create(this.creationOf(details, wanted.linkId, started), started, [reservation]);
    if (created) return created;
    const holder = await this.slugs.reserve(slug, wanted, started);
    if (holder.organizationId !== organizationId) return undefined;
    return undefinedIfRejected(
      'LINK_EXISTS',
      this.runner.run(this.creationOf(details, holder.linkId, started), started),
    );
  }

  private creationOf(details: LinkDetails, id: string, started: StartedCommand) {
    const { caller, startedAt } = started;
    const data = { ...details, createdBy: actorOf(caller).id, startedAt };
    const answer = (_: unknown, history: readonly Recorded[]) => linkOf(history);
    return { ...this.decision('CreateLink', data, { ...details, id }, started), answer };
  }

  /** Not for a command that will be refused anyway: a reserved slug stays reserved. */
  private async reserveSlug(slug: string, current: Link, started: StartedCommand): Promise<void> {
    const { id: linkId, organizationId, revision } = current;
    if (slug === current.slug || (started.expectedRevision ?? revision) !== revision) return;
    const holder = await this.slugs.reserve(slug, { linkId, organizationId }, started);
    if (holder.linkId !== linkId) throw slugTaken();
  }
}

const organizationFixed = () =>
  invalid([{ field: 'organizationId', message: 'The organization of a link cannot change.' }]);

/**
 * Asks whether a slug can be given to a link, one that exists or a new one. @throws Problem CONFLICT when it is taken
 */
export class CheckSlug extends Query<void> {
  constructor(
    readonly slug: string,
    readonly linkId?: string,
  ) {
    super();
  }
}

@QueryHandler(CheckSlug)
export class CheckSlugHandler implements IQueryHandler<CheckSlug> {
  constructor(private readonly slugs: SlugReservations) {}

  async execute({ slug, linkId }: CheckSlug): Promise<void> {
    const holder = await this.slugs.holderOf(slug);
    if (holder && holder.linkId !== linkId) throw slugTaken();
  }
}
