import type { KeyObject } from 'node:crypto';
import { EventStoreDbEventStore } from './eventstoredb-event-store';
import { Sealer } from './sealer';

/** Opens the event store on EventStoreDB, with a sealer where one is asked for. */
export async function openEventStoreDb(
  url: string,
  seal?: { readonly key?: KeyObject },
): Promise<EventStoreDbEventStore> {
  const store = await EventStoreDbEventStore.open(url);
  if (seal) await new Sealer(store, seal.key).start();
  return store;
}
