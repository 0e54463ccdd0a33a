import type { Link } from '@ledgerline/contracts/records';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { LRUCache } from 'lru-cache';
import { asDecided } from '../event-store/decided';
import type { EventStore } from '../event-store/event-store';
import { slugStream } from '../event-store/streams';
import { LogUnavailable, type Cursor, BEGINNING } from '../log/log-reader';
import type { EventFold } from './live-registry';
import { readLinkEvents, type StoredLinks } from './stored-links';

const MAX_CACHED = 20_000;

/** What a lookup needs of the registry in memory. */
interface Organizations {
  isDeleted(organizationId: string): boolean;
}

/** What the domain says about links. */
interface LinkRules {
  /** The link after the events of its stream; undefined before it is created and after it is deleted. */
  linkOf(history: readonly Recorded[]): Link | undefined;
  /** False for a slug that no link can have. */
  mayBeSlug(slug: string): boolean;
}

/**
 * Finds links, which are too many for the memory: in a cache, then in the read models, then in the event store, which has
 * a link from the moment it is created. Nothing of a deleted organization is found.
 *
 * A cached link is dropped by the event that changes it. TRICKY: a lookup under way may hold the link as it was before
 * that event; so it is cached only if no change became known meanwhile, and what read models hold counts only if they
 * include every known change of the link.
 */
export class LinkLookup implements EventFold {
  readonly types = ['LinkUpdated', 'LinkDeleted'];
  private readonly links = new LRUCache<string, Link>({ max: MAX_CACHED });
  /** By slug; a link may have got another one since. */
  private readonly ids = new LRUCache<string, string>({ max: MAX_CACHED });
  private readonly changes: RecentChanges;

  constructor(
    private readonly stored: Pick<StoredLinks, 'find'>,
    private readonly store: Pick<EventStore, 'readStream' | 'compare'>,
    private readonly organizations: Organizations,
    private readonly rules: LinkRules,
  ) {
    this.changes = new RecentChanges((a, b) => store.compare(a, b));
  }

  load({ cursor }: { readonly cursor: Cursor }): void {
    this.changes.startAt(cursor);
  }

  apply(event: Recorded, cursor: Cursor): void {
    if (event.type !== 'LinkUpdated' && event.type !== 'LinkDeleted') return;
    this.changes.add(event.data.linkId, cursor);
    this.links.delete(event.data.linkId);
  }

  /** Slugs are case-sensitive. */
  cached(slug: string): Link | undefined {
    const link = this.links.get(this.ids.get(slug) ?? '');
    return link?.slug === slug ? this.unlessDeleted(link) : undefined;
  }

  /** From the read models; undefined for a link that they do not hold, or not as it is now. */
  async inReadModels(slug: string): Promise<Link | undefined> {
    return this.rules.mayBeSlug(slug) ? this.findStored('slug', slug) : undefined;
  }

  /** @throws LogUnavailable when the store cannot be reached */
  async inStore(slug: string): Promise<Link | undefined> {
    const [event] = this.rules.mayBeSlug(slug) ? await this.store.readStream(slugStream(slug), { limit: 1 }) : [];
    const reserved = event && asDecided(event);
    if (reserved?.type !== 'SlugReserved') return undefined;
    const link = await this.fromStream(reserved.data.organizationId, reserved.data.linkId);
    return link?.slug === slug ? link : undefined;
  }

  /**
   * A link by id. One that the read models do not hold is looked for in these organizations.
   * @throws LogUnavailable
   */
  async byId(id: string, organizationIds: Iterable<string>): Promise<Link | undefined> {
    if (!LINK_ID.test(id)) return undefined;
    const known = this.links.get(id) ?? (await this.findStored('id', id));
    if (known) return this.unlessDeleted(known);
    const found = await Promise.all([...organizationIds].map((organizationId) => this.fromStream(organizationId, id)));
    return found.find((link) => link !== undefined);
  }

  private async findStored(column: 'id' | 'slug', value: string): Promise<Link | undefined> {
    const found = await this.stored.find(column, value).catch(orNothing);
    if (!found || !this.changes.isIncluded(found.link.id, found.cursor)) return undefined;
    return this.unlessDeleted(this.cache(found.link));
  }

  private async fromStream(organizationId: string, linkId: string): Promise<Link | undefined> {
    if (this.organizations.isDeleted(organizationId)) return undefined;
    const before = this.changes.versionOf(linkId);
    const link = this.rules.linkOf(await readLinkEvents(this.store, organizationId, linkId));
    return link && this.changes.versionOf(linkId) === before ? this.cache(link) : link;
  }

  private cache(link: Link): Link {
    this.links.set(link.id, link);
    this.ids.set(link.slug, link.id);
    return link;
  }

  private unlessDeleted(link: Link): Link | undefined {
    return this.organizations.isDeleted(link.organizationId) ? undefined : link;
  }
}

const LINK_ID = /^link_\w{1,64}$/;

/** Where the read models cannot be reached, the event store may be. */
function orNothing(error: unknown): undefined {
  if (!(error instanceof LogUnavailable)) throw error;
  return undefined;
}

const MAX_KEPT = 50_000;

/** The newest event about each of many things: what was stored before it is out of date. Knows no more than so many. */
export class RecentChanges {
  private readonly changes = new Map<string, Cursor>();
  /** Changes up to here may be forgotten. */
  private forgotten: Cursor = BEGINNING;

  constructor(
    private readonly compare: (a: Cursor, b: Cursor) => number,
    private readonly max = MAX_KEPT,
  ) {}

  /** Nothing is known of changes up to here. */
  startAt(cursor: Cursor): void {
    this.forgotten = cursor;
  }

  add(id: string, cursor: Cursor): void {
    this.changes.delete(id); // so that the map stays in the order of the events
    this.changes.set(id, cursor);
    const [oldest] = this.changes.size > this.max ? this.changes : [];
    if (!oldest) return;
    this.changes.delete(oldest[0]);
    this.forgotten = oldest[1];
  }

  /** Whether what was stored of a thing at that position holds all changes that are known by now. */
  isIncluded(id: string, cursor: Cursor): boolean {
    const change = this.changes.get(id) ?? this.forgotten;
    return this.compare(cursor, change) >= 0;
  }

  /** Different after every change of the thing. */
  versionOf(id: string): Cursor {
    return this.changes.get(id) ?? this.forgotten;
  }
}
