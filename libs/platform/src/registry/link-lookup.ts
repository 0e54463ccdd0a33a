import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { LinkEvent } from '@ledgerline/contracts/events/link.events';
import { RECORD_TABLES, REGISTRY } from '@ledgerline/contracts/read-models/registry';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { Link, StoredRecords } from '@ledgerline/contracts/records';
import { isMissingTable, orUnavailable } from '../database/database-errors';
import { runPrepared } from '../database/pool';
import { identifier, sql } from '../database/sql';
import { type EventStore, asDecided, decidedIn, readWholeStream, slugStream } from '../event-store/event-store';
import { Batcher } from '../log/batcher';
import { BEGINNING, type Cursor, LogUnavailable } from '../log/log-reader';
import type { EventFold } from './live-registry';
import { CHECKPOINT, type RegistryTables, recordFieldsSql, findRegistryTables } from './stored-registry';

/** A link as the read models have it, and up to which event they are filled. */
export interface StoredLink {
  readonly link: Link;
  readonly cursor: Cursor;
}

type Row = StoredRecords['links'] & { readonly cursor: Cursor };
/** A missing link is a row of nulls, so that the position is there all the same. */
type RowOrNone = { [Name in keyof Row]: Row[Name] | null };
type Column = 'id' | 'slug';

const MAX_BATCH = 200;
/** Lookups that arrive while a statement is answered share the next one. */
const LINGER_MS = 3;

/** Reads links from the read models of the registry; simultaneous lookups share a statement. */
export class StoredLinks {
  private readonly lookups: Readonly<Record<Column, Batcher<string, StoredLink | undefined>>>;
  private tables: RegistryTables | undefined;

  constructor(private readonly pool: Pool) {
    const by = (column: Column) =>
      new Batcher<string, StoredLink | undefined>((values) => this.read(column, values), {
        maxBatch: MAX_BATCH,
        lingerMs: LINGER_MS,
      });
    this.lookups = { id: by('id'), slug: by('slug') };
  }

  /** Undefined also where there are no read models. @throws LogUnavailable */
  find(column: Column, value: string): Promise<StoredLink | undefined> {
    return this.lookups[column].submit(value);
  }

  private async read(column: Column, values: readonly string[]): Promise<readonly (StoredLink | undefined)[]> {
    const rows = await orUnavailable('The links', () => this.select(column, values));
    const found = new Map(
      rows.map(({ cursor, details, ...own }) => {
        const link = { ...own, ...details };
        return [link[column], { link, cursor }];
      }),
    );
    return values.map((value) => found.get(value));
  }

  /** One statement, so that rows and position are of one moment. */
  private async select(column: Column, values: readonly string[]): Promise<readonly Row[]> {
    for (let tries = 0; tries < 2; tries++) {
      this.tables ??= await findRegistryTables(this.pool, [RECORD_TABLES.links]);
      if (!this.tables) return [];
      const rows = await this.selectFrom(this.tables, column, values);
      if (rows.length > 0) return rows.filter((row): row is Row => row.id !== null);
      this.tables = undefined; // other tables answer by now
    }
    return [];
  }

  private async selectFrom({ layout, table }: RegistryTables, column: Column, values: readonly string[]) {
    const query = sql`
      select c.cursor, ${recordFieldsSql(RECORD_TABLES.links, sql`l`)}
      from ${CHECKPOINT} left join ${table(RECORD_TABLES.links)} l on l.${identifier(column)} = any(${values}::text[])
      where g.name = ${REGISTRY.name} and g.layout = ${layout}`;
    try {
      return await runPrepared<RowOrNone>(this.pool, `links by ${column} ${layout}`, query);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

const LINK_EVENTS: ReadonlySet<string> = new Set<LinkEvent['type']>(['LinkCreated', 'LinkUpdated', 'LinkDeleted']);

/**
 * Returns what a link is read from: the first event of its stream and the last, as each holds all of its settings. Most
 * links have one event. Where something else has written one of them, it is the whole stream.
 */
export async function readLinkEvents(
  store: Pick<EventStore, 'readStream'>,
  organizationId: string,
  linkId: string,
): Promise<readonly Recorded[]> {
  const stream = RECORD_KINDS.links.stream({ organizationId, id: linkId });
  const last = await store.readStream(stream, { direction: 'backward', limit: 1 });
  const first = last.some(({ revision }) => revision > 0) ? await store.readStream(stream, { limit: 1 }) : [];
  const ends = [...first, ...last];
  const areOfLink = ends.every(({ type }) => LINK_EVENTS.has(type));
  return decidedIn(areOfLink ? ends : await readWholeStream(store, stream));
}

const MAX_CACHED = 20_000;

/** The part of the registry in memory that a lookup needs. */
interface Organizations {
  isDeleted(organizationId: string): boolean;
}

/** The rules of the domain about links. */
interface LinkRules {
  /** The link after the events of its stream; undefined before it is created and after it is deleted. */
  linkOf(history: readonly Recorded[]): Link | undefined;
  /** A link after one more event of its stream; undefined after it is deleted. */
  nextLink(link: Link, event: Recorded): Link | undefined;
  /** False for a slug that no link can have. */
  mayBeSlug(slug: string): boolean;
}

/**
 * Finds links, which are too many for the memory: in a cache, then in the read models, then in the event store, which has
 * a link from the moment it is created. Nothing of a deleted organization is found.
 *
 * The event that changes a cached link changes it there, so that redirects go on while the stores are away. TRICKY: a lookup under way may hold the link as it was before
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
    const { linkId } = event.data;
    this.changes.add(linkId, cursor);
    const link = this.links.get(linkId);
    if (!link || link.revision >= event.revision) return; // it was read from its stream, which was further
    const next = this.rules.nextLink(link, event);
    if (next) this.cache(next);
    else this.links.delete(linkId);
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

  /** Returns whether what was stored of a thing at that position holds all changes that are known by now. */
  isIncluded(id: string, cursor: Cursor): boolean {
    const change = this.changes.get(id) ?? this.forgotten;
    return this.compare(cursor, change) >= 0;
  }

  /** Different after every change of the thing. */
  versionOf(id: string): Cursor {
    return this.changes.get(id) ?? this.forgotten;
  }
}
