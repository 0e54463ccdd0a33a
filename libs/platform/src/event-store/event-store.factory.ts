import type { EventStore } from './event-store';
import type { Sealing } from './eventstoredb/sealer';
import { PostgresEventStore } from './postgres-event-store';

/** Where decided events are stored: in an EventStoreDB if one is named, else in the database. */
export interface EventStoreAddress {
  readonly databaseUrl: string;
  readonly eventStoreUrl?: string | undefined;
}

/**
 * Opens the event store, and seals hash chains there if it does not do so by itself. The driver of EventStoreDB is
 * loaded only where it is used.
 * @throws StartFailure when EventStoreDB cannot be reached or cannot serve, in one sentence
 */
export async function openEventStore(
  { databaseUrl, eventStoreUrl }: EventStoreAddress,
  seal?: Sealing,
): Promise<EventStore> {
  if (eventStoreUrl === undefined) return new PostgresEventStore(databaseUrl);
  const { EventStoreDbEventStore } = await import('./eventstoredb/eventstoredb-event-store.js');
  return EventStoreDbEventStore.open(eventStoreUrl, { seal });
}
