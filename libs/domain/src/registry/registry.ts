import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { keysOf } from '@ledgerline/contracts/json';
import type { AnyRecordKind } from '@ledgerline/contracts/record-kind';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import {
  type Invitation,
  type Member,
  type Organization,
  type RecordOf,
  type RegistryState,
  type StoredRecords,
  type Website,
  type WithDetails,
} from '@ledgerline/contracts/records';
import { withDetails } from '@ledgerline/domain/registry/record-changes';
import { Members, OrganizationRegistry, WebsiteHosts } from './organizations';
import { applyTo, changeOf, type RecordStore, typesOf } from './record-changes';

/** Links are many, so they are looked up instead (see LinkLookup). */
type Kind = Exclude<keyof StoredRecords, 'links'>;
/**
 * The kinds of records that belong to organizations, each of which has a stream of its own or shares one with its kind.
 */
type OwnedKind = Exclude<Kind, 'organizations' | 'members' | 'invitations'>;
type Stores = { readonly [Each in Kind]: RecordStore<StoredRecords[Each]> };
type OwnedStores = { readonly [Each in OwnedKind]: RegistryRecords<StoredRecords[Each]> };
type OwnedRecord<Each extends OwnedKind> = WithDetails<StoredRecords[Each]>;

/**
 * The records of all organizations in memory, except links: a fold of the event store in its order, from its beginning or
 * from a stored state. As fresh as the last event applied. What is deleted is not found, nor is anything of a deleted
 * organization. Of a deleted website there is still what was defined of it.
 */
export class Registry {
  private readonly members = new Members();
  private readonly organizations = new OrganizationRegistry(this.members);
  private readonly websiteHosts = new WebsiteHosts();
  private readonly invitations = new RegistryRecords<StoredRecords['invitations']>();
  private readonly records = storesOf({ websites: this.websiteHosts });
  private readonly owned = { members: this.members, invitations: this.invitations, ...this.records };
  private readonly stores: Stores = { organizations: this.organizations, ...this.owned };
  private readonly kinds = keysOf(this.stores);

  /** The types of the events that change it. */
  readonly types = typesOf(this.kinds);

  /** Begins with a stored state, before any event. */
  load(state: RegistryState): void {
    const load = <Each extends Kind>(kind: Each) => {
      for (const stored of state[kind]) this.stores[kind].write(stored);
    };
    for (const kind of this.kinds) load(kind);
  }

  /** Events of other types change nothing. Applying an event twice equals applying it once. */
  apply(event: Recorded): void {
    const { organizationId } = event.data;
    if (this.isDeleted(organizationId)) return;
    for (const kind of this.kinds) this.change(kind, event);
    if (this.isDeleted(organizationId))
      for (const store of Object.values(this.owned)) store.removeAllOf(organizationId);
  }

  organization(id: string): Organization | undefined {
    return this.organizations.get(id);
  }

  isDeleted(organizationId: string): boolean {
    return this.organizations.isDeleted(organizationId);
  }

  /** The organizations of a person, with their role in each. */
  rolesOf(userId: string): ReadonlyMap<string, Role> {
    return this.members.rolesOf(userId);
  }

  member(organizationId: string, userId: string): Member | undefined {
    return this.members.get(organizationId, userId);
  }

  membersOf(organizationId: string): readonly Member[] {
    return this.members.of(organizationId);
  }

  invitation(id: string): Invitation | undefined {
    const stored = this.invitations.get(id);
    return stored && invitationOf(stored);
  }

  invitationsOf(organizationId: string): readonly Invitation[] {
    return this.invitations.of(organizationId).map(invitationOf);
  }

  find<Each extends OwnedKind>(kind: Each, id: string): OwnedRecord<Each> | undefined {
    return this.records[kind].get(id);
  }

  /** Returns the records of an organization, in the order in which they were created. */
  list<Each extends OwnedKind>(kind: Each, organizationId: string): readonly OwnedRecord<Each>[] {
    return this.records[kind].of(organizationId);
  }

  /** Returns the records of all organizations. */
  all<Each extends OwnedKind>(kind: Each): readonly OwnedRecord<Each>[] {
    return this.records[kind].all();
  }

  /** Returns whether a host, in its normal form, is that of a website of the organization. */
  isWebsiteHost(organizationId: string, host: string): boolean {
    return this.websiteHosts.has(organizationId, host);
  }

  /** In the order in which they were created. */
  goalsOfWebsite(websiteId: string): readonly RecordOf<'goals'>[] {
    const organizationId = this.find('websites', websiteId)?.organizationId ?? '';
    return this.list('goals', organizationId).filter((goal) => goal.websiteId === websiteId);
  }

  private change<Each extends Kind>(kind: Each, event: Recorded): void {
    const change = changeOf(kind, event);
    if (change) applyTo<StoredRecords[Each]>(this.stores[kind], change);
  }
}

/** The kinds that are listed by organization. */
export const LISTED_KINDS = keysOf(RECORD_KINDS).filter((kind) => kind !== 'organizations' && kind !== 'links');

/** A store for each of these kinds. */
function storesOf(indexes: { readonly websites: RecordIndex<Website> }): OwnedStores {
  const stores = LISTED_KINDS.map((kind) => {
    const { later }: AnyRecordKind = RECORD_KINDS[kind];
    return [kind, new RegistryRecords(later, kind === 'websites' ? indexes.websites : undefined)];
  });
  return Object.fromEntries(stores) as OwnedStores;
}

/** Nothing changes an invitation but its end. */
const invitationOf = (stored: StoredRecords['invitations']): Invitation => ({
  ...stored,
  expiresAt: stored.expiresAt.toISOString(),
  updatedAt: stored.createdAt,
});

/** Records by id and by organization, in the order in which they were created. */
class RegistryRecords<Stored extends { readonly id: string }> {
  private readonly records = new Map<string, WithDetails<Stored> & Owned>();
  private readonly ids = new Map<string, Set<string>>();

  /** `later`: fields that records which were stored by an earlier version lack. */
  constructor(
    private readonly later: object = {},
    private readonly index?: RecordIndex<WithDetails<Stored>>,
  ) {}

  write(stored: Stored & (Owned | { readonly details: Owned })): void {
    const record = { ...this.later, ...withDetails(stored) } as WithDetails<Stored> & Owned;
    this.put(record, stored.id);
    const ids = this.ids.get(record.organizationId);
    if (ids) ids.add(stored.id);
    else this.ids.set(record.organizationId, new Set([stored.id]));
  }

  set(changes: Pick<Stored, 'id'> & Partial<Stored>): void {
    const record = this.records.get(changes.id);
    if (record) this.put({ ...record, ...withDetails(changes) }, changes.id);
  }

  remove({ id }: Pick<Stored, 'id'>): void {
    const record = this.drop(id);
    if (record) this.ids.get(record.organizationId)?.delete(id);
  }

  removeAllOf(organizationId: string): void {
    for (const id of this.ids.get(organizationId) ?? []) this.drop(id);
    this.ids.delete(organizationId);
  }

  get(id: string): WithDetails<Stored> | undefined {
    return this.records.get(id);
  }

  all(): readonly WithDetails<Stored>[] {
    return [...this.records.values()];
  }

  of(organizationId: string): readonly WithDetails<Stored>[] {
    return [...(this.ids.get(organizationId) ?? [])].flatMap((id) => this.records.get(id) ?? []);
  }

  private put(record: WithDetails<Stored> & Owned, id: string): void {
    const before = this.records.get(id);
    if (before) this.index?.remove(before);
    this.records.set(id, record);
    this.index?.add(record);
  }

  private drop(id: string): (WithDetails<Stored> & Owned) | undefined {
    const record = this.records.get(id);
    if (!record) return undefined;
    this.records.delete(id);
    this.index?.remove(record);
    return record;
  }
}

/** An index of records by something else than their id. */
interface RecordIndex<Stored> {
  add(record: Stored): void;
  remove(record: Stored): void;
}

interface Owned {
  readonly organizationId: string;
}
