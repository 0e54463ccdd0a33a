import type { RegistryRecord } from '@ledgerline/contracts/records';
import type { DecidedEvent, Recorded } from '@ledgerline/contracts/events/decided-events';

export const updated = ({ recordedAt, revision }: Recorded) => ({ updatedAt: recordedAt, revision });
export const created = (event: Recorded) => ({ createdAt: event.recordedAt, ...updated(event) });

/** A handler for every type of these events. */
export type Handlers<Events extends DecidedEvent> = {
  readonly [Type in Events['type']]: (event: Recorded<Extract<Events, { type: Type }>>) => void;
};

/** Entries by id and by organization, in the order in which they were created. */
export class RegistryRecords<Owned extends RegistryRecord & { readonly organizationId: string }> {
  private readonly entries = new Map<string, Owned>();
  private readonly ids = new Map<string, Set<string>>();

  add(entry: Owned): void {
    this.entries.set(entry.id, entry);
    const ids = this.ids.get(entry.organizationId);
    if (ids) ids.add(entry.id);
    else this.ids.set(entry.organizationId, new Set([entry.id]));
  }

  /** Nothing happens to an entry that does not exist. */
  update(id: string, changes: Partial<Owned>): void {
    const entry = this.entries.get(id);
    if (entry) this.entries.set(id, { ...entry, ...changes });
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    this.ids.get(entry.organizationId)?.delete(id);
  }

  removeAllOf(organizationId: string): void {
    for (const id of this.ids.get(organizationId) ?? []) this.entries.delete(id);
    this.ids.delete(organizationId);
  }

  get(id: string): Owned | undefined {
    return this.entries.get(id);
  }

  of(organizationId: string): readonly Owned[] {
    return [...(this.ids.get(organizationId) ?? [])].flatMap((id) => this.entries.get(id) ?? []);
  }
}
