import { Directory, type Website } from '@ledgerline/domain/directory/directory';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { decided } from '@ledgerline/platform/event-store/decided';

const TYPES = ['WebsiteRegistered'];

/** The website as it was decided, or undefined when there is none of that id. */
export async function findWebsite(store: Pick<EventStore, 'read'>, id: string): Promise<Website | undefined> {
  const directory = new Directory();
  let after: Cursor = BEGINNING;
  for (;;) {
    const { events, next, atHead } = await store.read(0, after, { max: 1_000, types: TYPES });
    for (const event of events) directory.apply(decided(event));
    const website = directory.website(id);
    if (website !== undefined || atHead) return website;
    after = next;
  }
}
