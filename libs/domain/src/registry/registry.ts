import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import {
  type Annotation,
  type ApiKey,
  type Flag,
  type Funnel,
  type Goal,
  type Incident,
  type Invitation,
  type Member,
  type Monitor,
  type OAuthGrant,
  type Organization,
  type RegistryState,
  type Segment,
  type Share,
  type StatusPage,
  type StoredRecords,
  type Website,
  withDetails,
  type WithDetails,
} from '@ledgerline/contracts/records';
import { plainMonitor } from '../monitors/monitor.decider';
import { Members, Organizations, WebsiteHosts } from './organizations';
import { applyTo, changeOf, type RecordStore, typesOf } from './record-changes';

/** Links are many, so they are looked up instead (see LinkLookup). */
type Kind = Exclude<keyof StoredRecords, 'links'>;
type Stores = { readonly [Each in Kind]: RecordStore<StoredRecords[Each]> };

/**
 * Organizations, members, websites, flags, goals, funnels, segments, annotations, monitors, status pages, shares, keys and grants in
 * memory: a fold of the event store in its order, from its beginning or from a stored state. As fresh as the last event
 * applied. What is deleted is not found, nor is anything of a deleted organization. Of a deleted website there is still what
 * was defined of it.
 */
export class Registry {
  private readonly members = new Members();
  private readonly organizations = new Organizations(this.members);
  private readonly invitations = new RegistryRecords<StoredRecords['invitations']>();
  private readonly websiteHosts = new WebsiteHosts();
  private readonly websites = new RegistryRecords<StoredRecords['websites']>(this.websiteHosts);
  private readonly flags = new RegistryRecords<StoredRecords['flags']>();
  private readonly goals = new RegistryRecords<StoredRecords['goals']>();
  private readonly funnels = new RegistryRecords<StoredRecords['funnels']>();
  private readonly segments = new RegistryRecords<StoredRecords['segments']>();
  private readonly annotations = new RegistryRecords<StoredRecords['annotations']>();
  private readonly monitors = new RegistryRecords<StoredRecords['monitors']>();
  private readonly statusPages = new RegistryRecords<StoredRecords['statusPages']>();
  private readonly incidents = new RegistryRecords<StoredRecords['incidents']>();
  private readonly shares = new RegistryRecords<StoredRecords['shares']>();
  private readonly apiKeys = new RegistryRecords<StoredRecords['apiKeys']>();
  private readonly oauthGrants = new RegistryRecords<StoredRecords['oauthGrants']>();
  private readonly owned = {
    members: this.members,
    invitations: this.invitations,
    websites: this.websites,
    flags: this.flags,
    goals: this.goals,
    funnels: this.funnels,
    segments: this.segments,
    annotations: this.annotations,
    monitors: this.monitors,
    statusPages: this.statusPages,
    incidents: this.incidents,
    shares: this.shares,
    apiKeys: this.apiKeys,
    oauthGrants: this.oauthGrants,
  };
  private readonly stores: Stores = { organizations: this.organizations, ...this.owned };
  private readonly kinds = Object.keys(this.stores) as readonly Kind[];

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

  website(id: string): Website | undefined {
    return this.websites.get(id);
  }

  websitesOf(organizationId: string): readonly Website[] {
    return this.websites.of(organizationId);
  }

  /** Whether a host, in its normal form, is that of a website of the organization. */
  isWebsiteHost(organizationId: string, host: string): boolean {
    return this.websiteHosts.has(organizationId, host);
  }

  flag(id: string): Flag | undefined {
    return this.flags.get(id);
  }

  flagsOf(organizationId: string): readonly Flag[] {
    return this.flags.of(organizationId);
  }

  goal(id: string): Goal | undefined {
    return this.goals.get(id);
  }

  goalsOf(organizationId: string): readonly Goal[] {
    return this.goals.of(organizationId);
  }

  /** In the order in which they were created. */
  goalsOfWebsite(websiteId: string): readonly Goal[] {
    const organizationId = this.website(websiteId)?.organizationId ?? '';
    return this.goalsOf(organizationId).filter((goal) => goal.websiteId === websiteId);
  }

  funnel(id: string): Funnel | undefined {
    return this.funnels.get(id);
  }

  funnelsOf(organizationId: string): readonly Funnel[] {
    return this.funnels.of(organizationId);
  }

  segment(id: string): Segment | undefined {
    return this.segments.get(id);
  }

  segmentsOf(organizationId: string): readonly Segment[] {
    return this.segments.of(organizationId);
  }

  annotation(id: string): Annotation | undefined {
    return this.annotations.get(id);
  }

  annotationsOf(organizationId: string): readonly Annotation[] {
    return this.annotations.of(organizationId);
  }

  monitor(id: string): Monitor | undefined {
    const stored = this.monitors.get(id);
    return stored && monitorOf(stored);
  }

  monitorsOf(organizationId: string): readonly Monitor[] {
    return this.monitors.of(organizationId).map(monitorOf);
  }

  statusPage(id: string): StatusPage | undefined {
    const stored = this.statusPages.get(id);
    return stored && statusPageOf(stored);
  }

  /** Of all organizations. */
  everyStatusPage(): readonly StatusPage[] {
    return this.statusPages.all().map(statusPageOf);
  }

  statusPagesOf(organizationId: string): readonly StatusPage[] {
    return this.statusPages.of(organizationId).map(statusPageOf);
  }

  incident(id: string): Incident | undefined {
    return this.incidents.get(id);
  }

  incidentsOf(organizationId: string): readonly Incident[] {
    return this.incidents.of(organizationId);
  }

  share(id: string): Share | undefined {
    return this.shares.get(id);
  }

  sharesOf(organizationId: string): readonly Share[] {
    return this.shares.of(organizationId);
  }

  key(id: string): ApiKey | undefined {
    return this.apiKeys.get(id);
  }

  keysOf(organizationId: string): readonly ApiKey[] {
    return this.apiKeys.of(organizationId);
  }

  grant(id: string): OAuthGrant | undefined {
    return this.oauthGrants.get(id);
  }

  grantsOf(organizationId: string): readonly OAuthGrant[] {
    return this.oauthGrants.of(organizationId);
  }

  private change<Each extends Kind>(kind: Each, event: Recorded): void {
    const change = changeOf(kind, event);
    if (change) applyTo<StoredRecords[Each]>(this.stores[kind], change);
  }
}

const PLAIN_PAGE = { timezone: 'UTC' };

/** What is stored of pages and monitors of earlier versions lacks the options that there were not yet. */
const statusPageOf = (stored: StatusPage): StatusPage => ({ ...PLAIN_PAGE, ...stored });

const monitorOf = (stored: Monitor): Monitor => ({ ...plainMonitor, ...stored });

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

  constructor(private readonly index?: RecordIndex<WithDetails<Stored>>) {}

  write(stored: Stored & (Owned | { readonly details: Owned })): void {
    const record = withDetails(stored) as WithDetails<Stored> & Owned;
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

/** What is found by something else than an id. */
interface RecordIndex<Stored> {
  add(record: Stored): void;
  remove(record: Stored): void;
}

interface Owned {
  readonly organizationId: string;
}
