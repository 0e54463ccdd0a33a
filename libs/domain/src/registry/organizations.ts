import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { Member, Organization, StoredRecords, Website } from '@ledgerline/contracts/records';
import { omit } from '../decider';

type StoredOrganization = StoredRecords['organizations'];

/** Organizations by id; of a deleted one no more is kept than that it is. */
export class OrganizationRegistry {
  private readonly organizations = new Map<string, StoredOrganization>();
  private readonly deleted = new Set<string>();

  constructor(private readonly members: Pick<Members, 'longestOwner'>) {}

  write(organization: StoredOrganization): void {
    if (organization.deletedAt) this.remove(organization);
    else this.organizations.set(organization.id, organization);
  }

  /** A deletion counts also where nothing else of the organization is known. */
  set(changes: Pick<StoredOrganization, 'id'> & Partial<StoredOrganization>): void {
    const organization = this.organizations.get(changes.id);
    if (changes.deletedAt) this.remove(changes);
    else if (organization) this.organizations.set(changes.id, { ...organization, ...changes });
  }

  remove({ id }: Pick<StoredOrganization, 'id'>): void {
    this.organizations.delete(id);
    this.deleted.add(id);
  }

  get(id: string): Organization | undefined {
    const organization = this.organizations.get(id);
    return organization && { ...omit(organization, 'deletedAt'), ownerId: this.members.longestOwner(id)?.userId ?? '' };
  }

  isDeleted(id: string): boolean {
    return this.deleted.has(id);
  }
}

/** The members of each organization. */
export class Members {
  /** By user id, for each organization, in the order in which they joined. */
  private readonly members = new Map<string, Map<string, Member>>();
  private readonly organizationIds = new Map<string, Set<string>>();

  write(member: Member): void {
    const { organizationId, userId } = member;
    this.members.set(
      organizationId,
      (this.members.get(organizationId) ?? new Map<string, Member>()).set(userId, member),
    );
    this.organizationIds.set(userId, (this.organizationIds.get(userId) ?? new Set()).add(organizationId));
  }

  set(changes: MemberKey & Partial<Member>): void {
    const member = this.get(changes.organizationId, changes.userId);
    if (member) this.write({ ...member, ...changes });
  }

  remove({ organizationId, userId }: MemberKey): void {
    this.members.get(organizationId)?.delete(userId);
    this.organizationIds.get(userId)?.delete(organizationId);
  }

  removeAllOf(organizationId: string): void {
    for (const member of this.of(organizationId)) this.remove(member);
  }

  get(organizationId: string, userId: string): Member | undefined {
    return this.members.get(organizationId)?.get(userId);
  }

  of(organizationId: string): readonly Member[] {
    return [...(this.members.get(organizationId)?.values() ?? [])];
  }

  /** The one who has been an owner for longest. */
  longestOwner(organizationId: string): Member | undefined {
    const owners = this.of(organizationId).filter(({ role }) => role === 'owner');
    return owners.toSorted((a, b) => a.roleRevision - b.roleRevision)[0];
  }

  /** By organization id. */
  rolesOf(userId: string): ReadonlyMap<string, Role> {
    const memberships = [...(this.organizationIds.get(userId) ?? [])].flatMap((id) => this.get(id, userId) ?? []);
    return new Map(memberships.map(({ organizationId, role }) => [organizationId, role]));
  }
}

type MemberKey = Pick<Member, 'organizationId' | 'userId'>;

/** The hosts that are websites of an organization: domains with what lies under them, and the other hosts that a website allows. */
export class WebsiteHosts {
  /** The number of websites that have each, by organization; a domain has a dot in front. */
  private readonly counts = new Map<string, Map<string, number>>();

  add(website: Hosts): void {
    this.count(website, 1);
  }

  remove(website: Hosts): void {
    this.count(website, -1);
  }

  /** `host` in lower case, without port and trailing dot. */
  has(organizationId: string, host: string): boolean {
    const counts = this.counts.get(organizationId);
    if (!counts || host === '') return false;
    if (counts.has(host)) return true;
    const dotted = `.${host}`;
    for (let at = 0; at !== -1; at = dotted.indexOf('.', at + 1)) if (counts.has(dotted.slice(at))) return true;
    return false;
  }

  private count({ organizationId, domain, allowedOrigins }: Hosts, by: 1 | -1): void {
    const counts = this.counts.get(organizationId) ?? new Map<string, number>();
    for (const host of [`.${domain}`, ...allowedOrigins]) {
      const count = (counts.get(host) ?? 0) + by;
      if (count > 0) counts.set(host, count);
      else counts.delete(host);
    }
    if (counts.size > 0) this.counts.set(organizationId, counts);
    else this.counts.delete(organizationId);
  }
}

type Hosts = Pick<Website, 'organizationId' | 'domain' | 'allowedOrigins'>;
