import type { EventStore } from './event-store';
import { PostgresEventStore } from './postgres-event-store';

/** Which store keeps the decided events. */
export type EventStoreSettings = { readonly kind: 'postgres'; readonly databaseUrl: string };

/** Opens the event store that the settings name. */
export function openEventStore(settings: EventStoreSettings): Promise<EventStore> {
  return Promise.resolve(new PostgresEventStore(settings.databaseUrl));
}
