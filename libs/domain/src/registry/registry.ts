import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import { omit } from '../changes';
import { created, Entries, updated, type Entry, type Handlers } from './entries';
import type { Member } from './members';
import { Organizations, type Invitation, type Organization } from './organizations';

export type Website = Entry & WebsiteDetails;
export type Link = Entry & LinkDetails & { readonly createdBy: string };
/** `secretId` is the only valid secret, unless the key is disabled, expired or revoked. */
export type ApiKey = Entry &
  ApiKeyDetails & {
    readonly secretId: string;
    readonly start: string;
    readonly enabled: boolean;
    readonly revokedAt: Date | null;
  };

/**
 * Organizations, members, websites, links and keys in memory: a fold of the event store from its beginning, in its
 * order. As fresh as the last event applied. What is deleted is not found, nor is anything of a deleted organization.
 */
export class Registry {
  private readonly organizations = new Organizations();
  private readonly websites = new Entries<Website>();
  private readonly links = new Entries<Link>();
  private readonly linkIds = new Map<string, string>();
  private readonly keys = new Entries<ApiKey>();

  /** Events of unknown types change nothing. Applying an event twice equals applying it once. */
  apply(event: Recorded): void {
    if (Object.hasOwn(this.on, event.type) && !this.isDeleted(event.data.organizationId)) this.fold(event);
  }

  organization(id: string): Organization | undefined {
    return this.organizations.get(id);
  }

  isDeleted(organizationId: string): boolean {
    return this.organizations.isDeleted(organizationId);
  }

  /** The organizations of a person, with their role in each. */
  rolesOf(userId: string): ReadonlyMap<string, Role> {
    return this.organizations.members.rolesOf(userId);
  }

  member(organizationId: string, userId: string): Member | undefined {
    return this.organizations.members.get(organizationId, userId);
  }

  membersOf(organizationId: string): readonly Member[] {
    return this.organizations.members.of(organizationId);
  }

  invitation(id: string): Invitation | undefined {
    return this.organizations.invitations.get(id);
  }

  invitationsOf(organizationId: string): readonly Invitation[] {
    return this.organizations.invitations.of(organizationId);
  }

  website(id: string): Website | undefined {
    return this.websites.get(id);
  }

  websitesOf(organizationId: string): readonly Website[] {
    return this.websites.of(organizationId);
  }

  link(id: string): Link | undefined {
    return this.links.get(id);
  }

  /** Slugs are case-sensitive. */
  linkBySlug(slug: string): Link | undefined {
    const id = this.linkIds.get(slug);
    const link = id === undefined ? undefined : this.links.get(id);
    return link?.slug === slug ? link : undefined;
  }

  key(id: string): ApiKey | undefined {
    return this.keys.get(id);
  }

  keysOf(organizationId: string): readonly ApiKey[] {
    return this.keys.of(organizationId);
  }

  private fold<Type extends DecidedEvent['type']>(event: Recorded & { type: Type }): void {
    // the handler of a type takes the events of that type, which the compiler cannot infer through a union
    (this.on[event.type] as (event: Recorded) => void)(event);
  }

  private readonly on: Handlers<DecidedEvent> = {
    ...this.organizations.on,
    OrganizationDeleted: (event) => {
      this.organizations.on.OrganizationDeleted(event);
      for (const owned of [this.websites, this.links, this.keys]) owned.removeAllOf(event.data.organizationId);
    },

    WebsiteRegistered: (event) =>
      this.websites.add({ ...created(event), id: event.data.websiteId, ...omit(event.data, 'websiteId') }),
    WebsiteUpdated: (event) =>
      this.websites.update(event.data.websiteId, { ...updated(event), ...omit(event.data, 'websiteId', 'before') }),
    WebsiteDeleted: ({ data }) => this.websites.remove(data.websiteId),

    AuditLogExported: () => undefined,

    SlugReserved: () => undefined,
    LinkCreated: (event) => {
      this.links.add({ ...created(event), id: event.data.linkId, ...omit(event.data, 'linkId') });
      this.linkIds.set(event.data.slug, event.data.linkId);
    },
    LinkUpdated: (event) => {
      this.links.update(event.data.linkId, { ...updated(event), ...omit(event.data, 'linkId', 'before') });
      this.linkIds.set(event.data.slug, event.data.linkId);
    },
    LinkDeleted: ({ data }) => {
      this.links.remove(data.linkId);
      this.linkIds.delete(data.slug);
    },

    ApiKeyCreated: (event) => {
      const { keyId: id, ...details } = event.data;
      this.keys.add({ ...created(event), id, ...details, enabled: true, revokedAt: null });
    },
    ApiKeyUpdated: (event) =>
      this.keys.update(event.data.keyId, { ...updated(event), ...omit(event.data, 'keyId', 'before') }),
    ApiKeyRotated: (event) => {
      const { keyId, secretId, start } = event.data;
      this.keys.update(keyId, { ...updated(event), secretId, start });
    },
    ApiKeyRevoked: (event) => this.keys.update(event.data.keyId, { ...updated(event), revokedAt: event.recordedAt }),
    ApiKeyDeleted: ({ data }) => this.keys.remove(data.keyId),
  };
}
