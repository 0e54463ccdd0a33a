import type { Website } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import { asDecided, type EventStore } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';

const TYPES = ['WebsiteRegistered'];

/** The website as it was decided, or undefined when there is none of that id. */
export async function findWebsite(store: Pick<EventStore, 'read'>, id: string): Promise<Website | undefined> {
  const registry = new Registry();
  let after: Cursor = BEGINNING;
  for (;;) {
    const { events, next, atHead } = await store.read(0, after, { max: 1_000, types: TYPES });
    for (const event of events) registry.apply(asDecided(event));
    const website = registry.website(id);
    if (website !== undefined || atHead) return website;
    after = next;
  }
}
