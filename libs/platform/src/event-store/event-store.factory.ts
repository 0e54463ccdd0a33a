import type { Settings } from '../config/settings';
import type { EventStore } from './event-store';
import type { Sealing } from './eventstoredb/sealer';
import { PostgresEventStore } from './postgres-event-store';

/** Which store keeps the decided events. */
export type EventStoreChoice =
  | { readonly kind: 'postgres'; readonly databaseUrl: string }
  | { readonly kind: 'eventstoredb'; readonly url: string; readonly seal?: Sealing };

/**
 * Opens the chosen event store. The driver of EventStoreDB is loaded only where it is chosen.
 * @throws StartFailure when EventStoreDB cannot be reached or cannot serve, in one sentence
 */
export async function openEventStore(choice: EventStoreChoice): Promise<EventStore> {
  if (choice.kind === 'postgres') return new PostgresEventStore(choice.databaseUrl);
  const { EventStoreDbEventStore } = await import('./eventstoredb/eventstoredb-event-store.js');
  return EventStoreDbEventStore.open(choice.url, choice);
}

/** What EVENT_STORE, EVENTSTORE_URL and DATABASE_URL choose. */
export function chosenEventStore(
  { databaseUrl, eventStoreUrl }: Pick<Settings, 'databaseUrl' | 'eventStoreUrl'>,
  seal?: Sealing,
): EventStoreChoice {
  if (eventStoreUrl === undefined) return { kind: 'postgres', databaseUrl };
  return { kind: 'eventstoredb', url: eventStoreUrl, ...(seal ? { seal } : {}) };
}
