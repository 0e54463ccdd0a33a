import { LRUCache } from 'lru-cache';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { GLOBAL, type RecordedEvent, ORGANIZATION_CREATED } from '@ledgerline/platform/event-store/event-store';
import type { Connection } from './connection';

const MAX_FOREIGN = 10_000;

/**
 * The organizations of the product, among whatever else is stored in the same server: those that were created, and the
 * streams that belong to none. A stream is read only for events that have the product's metadata.
 */
export class OwnOrganizations {
  private readonly own = new Set([GLOBAL]);
  private readonly foreign = new LRUCache<string, true>({ max: MAX_FOREIGN });

  constructor(private readonly connection: Connection) {}

  add(organization: string): void {
    this.own.add(organization);
  }

  /** By new events of it; late = it was created before. @throws LogUnavailable */
  async owns(organization: string, events: readonly RecordedEvent[]): Promise<'yes' | 'late' | 'no'> {
    if (this.own.has(organization)) return 'yes';
    const stream = RECORD_KINDS.organizations.stream({ id: organization });
    const isCreated = events.some((event) => event.stream === stream && event.type === ORGANIZATION_CREATED);
    const isFound = !isCreated && (await this.wasCreated(organization, stream, events));
    if (!isCreated && !isFound) return 'no';
    this.add(organization);
    return isCreated ? 'yes' : 'late';
  }

  /** Returns whether its history can be read, and begins otherwise than with its creation. @throws LogUnavailable */
  async isForeign(organization: string): Promise<boolean> {
    if (this.own.has(organization)) return false;
    const page = { direction: 'forwards', maxCount: 1, resolveLinks: true } as const;
    const [first] = await this.connection.readStream(`$ce-${organization}`, page);
    return first?.link?.revision === 0n && first.event !== undefined && first.event.type !== ORGANIZATION_CREATED;
  }

  /** As where Postgres was restored and does not name it. */
  private async wasCreated(organization: string, stream: string, events: readonly RecordedEvent[]): Promise<boolean> {
    if (this.foreign.has(organization) || !events.some(({ metadata }) => metadata.schemaVersion !== undefined))
      return false;
    const [first] = await this.connection.readStream(stream, { direction: 'forwards', maxCount: 1 });
    const isCreated = first?.event?.type === ORGANIZATION_CREATED;
    if (!isCreated) this.foreign.set(organization, true);
    return isCreated;
  }
}
