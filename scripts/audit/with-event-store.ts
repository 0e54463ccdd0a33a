import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import type { Installation } from '../migrate-store/installation';

/** Does work on the event store of an installation. @throws StartFailure where it cannot be reached */
export async function withEventStore<T>(
  { databaseUrl, eventStoreUrl }: Installation,
  work: (store: EventStore) => Promise<T>,
): Promise<T> {
  const store = await openEventStore({ databaseUrl, eventStoreUrl });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
