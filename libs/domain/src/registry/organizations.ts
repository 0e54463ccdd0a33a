import type { Organization, StoredRecords } from '@ledgerline/contracts/records';
import { omit } from '../changes';
import type { Members } from './members';

type StoredOrganization = StoredRecords['organizations'];

/** Organizations by id; of a deleted one no more is kept than that it is. */
export class Organizations {
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
