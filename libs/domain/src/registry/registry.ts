import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';

/** What every entry of the registry has. */
export interface Entry {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Of the entry's stream. */
  readonly revision: number;
}

export type Organization = Entry & { readonly name: string; readonly ownerId: string };
export type Website = Entry & WebsiteDetails;
export type Link = Entry & LinkDetails & { readonly createdBy: string };
/** `secretId` names the one secret that is live. */
export type ApiKey = Entry & ApiKeyDetails & { readonly secretId: string; readonly start: string };

/**
 * Organizations, websites, links and keys in memory: a fold of the event store from its beginning, in its order. As
 * fresh as the last event applied.
 */
export class Registry {
  private readonly organizations = new Map<string, Organization>();
  private readonly websites = new Map<string, Website>();
  private readonly links = new Map<string, Link>();
  private readonly keys = new Map<string, ApiKey>();
  private readonly linkIds = new Map<string, string>();
  private readonly owned = new Index();
  private readonly websiteIds = new Index();
  private readonly keyIds = new Index();

  /** Events of unknown types change nothing. Applying an event twice equals applying it once. */
  apply(event: Recorded): void {
    if (Object.hasOwn(this.on, event.type)) this.fold(event);
  }

  organization(id: string): Organization | undefined {
    return this.organizations.get(id);
  }

  organizationsOwnedBy(userId: string): readonly Organization[] {
    return this.owned.of(userId, this.organizations);
  }

  website(id: string): Website | undefined {
    return this.websites.get(id);
  }

  websitesOf(organizationId: string): readonly Website[] {
    return this.websiteIds.of(organizationId, this.websites);
  }

  link(id: string): Link | undefined {
    return this.links.get(id);
  }

  /** Slugs are case-sensitive. */
  linkBySlug(slug: string): Link | undefined {
    const id = this.linkIds.get(slug);
    return id === undefined ? undefined : this.links.get(id);
  }

  key(id: string): ApiKey | undefined {
    return this.keys.get(id);
  }

  keysOf(organizationId: string): readonly ApiKey[] {
    return this.keyIds.of(organizationId, this.keys);
  }

  private fold<Type extends DecidedEvent['type']>(event: Recorded & { type: Type }): void {
    // the handler of a type takes the events of that type, which the compiler cannot tell of a union
    (this.on[event.type] as (event: Recorded) => void)(event);
  }

  private readonly on: { readonly [Type in DecidedEvent['type']]?: (event: Recorded<DecidedOf<Type>>) => void } = {
    OrganizationCreated: (event) => {
      const { organizationId: id, name, ownerId } = event.data;
      this.organizations.set(id, { ...created(event), id, name, ownerId });
      this.owned.add(ownerId, id);
    },
    WebsiteRegistered: (event) => {
      const { websiteId: id, ...details } = event.data;
      this.websites.set(id, { ...created(event), id, ...details });
      this.websiteIds.add(details.organizationId, id);
    },
    SlugReserved: () => undefined,
    LinkCreated: (event) => {
      const { linkId: id, ...details } = event.data;
      this.links.set(id, { ...created(event), id, ...details });
      this.linkIds.set(details.slug, id);
    },
    ApiKeyCreated: (event) => {
      const { keyId: id, ...details } = event.data;
      this.keys.set(id, { ...created(event), id, ...details });
      this.keyIds.add(details.organizationId, id);
    },
  };
}

type DecidedOf<Type extends DecidedEvent['type']> = Extract<DecidedEvent, { type: Type }>;

const created = ({ recordedAt, revision }: Recorded) => ({ createdAt: recordedAt, updatedAt: recordedAt, revision });

/** Ids by what they belong to, in the order they came. */
class Index {
  private readonly ids = new Map<string, Set<string>>();

  add(owner: string, id: string): void {
    const known = this.ids.get(owner);
    if (known) known.add(id);
    else this.ids.set(owner, new Set([id]));
  }

  of<T>(owner: string, all: ReadonlyMap<string, T>): readonly T[] {
    return [...(this.ids.get(owner) ?? [])].flatMap((id) => all.get(id) ?? []);
  }
}
