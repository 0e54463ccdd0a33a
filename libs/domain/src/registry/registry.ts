import type {
  ApiKey,
  Flag,
  Invitation,
  Member,
  OAuthGrant,
  Organization,
  RegistryState,
  Website,
} from '@ledgerline/contracts/records';
import type { AuditLogEvent } from '@ledgerline/contracts/events/audit-log.events';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';
import type { SubjectErased } from '@ledgerline/contracts/events/erasure.events';
import type { LinkEvent, SlugReserved } from '@ledgerline/contracts/events/link.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { omit } from '../changes';
import { created, RegistryRecords, updated, type Handlers } from './registry-records';
import { Organizations } from './organizations';

/** Links are many, so they are looked up instead (see LinkLookup). */
type Held = Exclude<DecidedEvent, LinkEvent | SlugReserved | AuditLogEvent | SubjectErased>;

/**
 * Organizations, members, websites, flags, keys and grants in memory: a fold of the event store in its order, from its beginning or
 * from a stored state. As fresh as the last event applied. What is deleted is not found, nor is anything of a deleted
 * organization.
 */
export class Registry {
  private readonly organizations = new Organizations();
  private readonly websites = new RegistryRecords<Website>();
  private readonly flags = new RegistryRecords<Flag>();
  private readonly keys = new RegistryRecords<ApiKey>();
  private readonly grants = new RegistryRecords<OAuthGrant>();

  /** The types of the events that change it. */
  get types(): readonly string[] {
    return Object.keys(this.on);
  }

  /** Begins with a stored state, before any event. */
  load(state: RegistryState): void {
    this.organizations.load(state);
    for (const website of state.websites) this.websites.add(website);
    for (const flag of state.flags) this.flags.add(flag);
    for (const key of state.keys) this.keys.add(key);
    for (const grant of state.grants) this.grants.add(grant);
  }

  /** Events of other types change nothing. Applying an event twice equals applying it once. */
  apply(event: Recorded): void {
    if (isHeld(this.on, event) && !this.isDeleted(event.data.organizationId)) this.fold(event);
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

  flag(id: string): Flag | undefined {
    return this.flags.get(id);
  }

  flagsOf(organizationId: string): readonly Flag[] {
    return this.flags.of(organizationId);
  }

  key(id: string): ApiKey | undefined {
    return this.keys.get(id);
  }

  keysOf(organizationId: string): readonly ApiKey[] {
    return this.keys.of(organizationId);
  }

  grant(id: string): OAuthGrant | undefined {
    return this.grants.get(id);
  }

  grantsOf(organizationId: string): readonly OAuthGrant[] {
    return this.grants.of(organizationId);
  }

  private fold(event: Recorded<Held>): void {
    // the handler of a type takes the events of that type, which the compiler cannot infer through a union
    (this.on[event.type] as (event: Recorded) => void)(event);
  }

  private readonly on: Handlers<Held> = {
    ...this.organizations.on,
    OrganizationDeleted: (event) => {
      this.organizations.on.OrganizationDeleted(event);
      for (const owned of [this.websites, this.flags, this.keys, this.grants])
        owned.removeAllOf(event.data.organizationId);
    },

    WebsiteRegistered: (event) =>
      this.websites.add({ ...created(event), id: event.data.websiteId, ...omit(event.data, 'websiteId') }),
    WebsiteUpdated: (event) =>
      this.websites.update(event.data.websiteId, { ...updated(event), ...omit(event.data, 'websiteId', 'before') }),
    WebsiteDeleted: ({ data }) => this.websites.remove(data.websiteId),

    FlagCreated: (event) => this.flags.add({ ...created(event), id: event.data.flagId, ...omit(event.data, 'flagId') }),
    FlagUpdated: (event) =>
      this.flags.update(event.data.flagId, { ...updated(event), ...omit(event.data, 'flagId', 'before') }),
    FlagDeleted: ({ data }) => this.flags.remove(data.flagId),

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

    OAuthGrantCreated: (event) =>
      this.grants.add({ ...created(event), id: event.data.grantId, ...omit(event.data, 'grantId') }),
    OAuthGrantRevoked: ({ data }) => this.grants.remove(data.grantId),
  };
}

const isHeld = (on: Handlers<Held>, event: Recorded): event is Recorded<Held> => Object.hasOwn(on, event.type);
