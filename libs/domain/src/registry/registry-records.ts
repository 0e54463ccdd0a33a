import { withDetails, type WithDetails } from '@ledgerline/contracts/records';

/** Records by id and by organization, in the order in which they were created. */
export class RegistryRecords<Stored extends { readonly id: string }> {
  private readonly records = new Map<string, WithDetails<Stored> & Owned>();
  private readonly ids = new Map<string, Set<string>>();

  write(stored: Stored & (Owned | { readonly details: Owned })): void {
    const record = withDetails(stored) as WithDetails<Stored> & Owned;
    this.records.set(stored.id, record);
    const ids = this.ids.get(record.organizationId);
    if (ids) ids.add(stored.id);
    else this.ids.set(record.organizationId, new Set([stored.id]));
  }

  set(changes: Pick<Stored, 'id'> & Partial<Stored>): void {
    const record = this.records.get(changes.id);
    if (record) this.records.set(changes.id, { ...record, ...withDetails(changes) });
  }

  remove({ id }: Pick<Stored, 'id'>): void {
    const record = this.records.get(id);
    if (!record) return;
    this.records.delete(id);
    this.ids.get(record.organizationId)?.delete(id);
  }

  removeAllOf(organizationId: string): void {
    for (const id of this.ids.get(organizationId) ?? []) this.records.delete(id);
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
}

interface Owned {
  readonly organizationId: string;
}
