import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { Website } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { decidedIn } from '@ledgerline/platform/event-store/decided';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type LogPosition } from '@ledgerline/platform/log/log-reader';
import { readStoredRegistry } from '@ledgerline/platform/registry/stored-registry';
import type { Pool } from 'pg';

const TYPES: readonly DecidedEvent['type'][] = [
  'WebsiteRegistered',
  'WebsiteUpdated',
  'WebsiteDeleted',
  'OrganizationDeleted',
];

/** The website as it is, from the read models and the events after them; undefined when there is none of that id. */
export async function findWebsite(store: EventStore, pool: Pool, id: string): Promise<Website | undefined> {
  const registry = new Registry();
  const stored = await readStoredRegistry(pool);
  if (stored) registry.load(stored);
  let { cursor, digest }: LogPosition = stored ?? { cursor: BEGINNING };
  for (;;) {
    const { events, next, atHead, ...read } = await store.read(0, cursor, { max: 1_000, types: TYPES, digest });
    for (const event of decidedIn(events)) registry.apply(event);
    if (atHead) return registry.website(id);
    ({ digest } = read);
    cursor = next;
  }
}
