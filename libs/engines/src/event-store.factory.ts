import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { Waiting } from '@ledgerline/platform/log/opened-when-up';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import { SealingFault } from '@ledgerline/platform/event-store/sealing-faults';
import type { Sealing } from '@ledgerline/eventstoredb/sealer';
import { AwaitedEventStore } from './awaited-event-store';
import { compareCursors } from '@ledgerline/eventstoredb/position';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';

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
  return openEventStoreDb(eventStoreUrl, seal);
}

/**
 * The same for a process that serves also while an EventStoreDB is away.
 * @throws StartFailure where EventStoreDB cannot serve, however long one waits
 */
export async function openEventStoreWhenUp(
  { databaseUrl, eventStoreUrl }: EventStoreAddress,
  waiting: Omit<Waiting, 'name'>,
  seal?: Sealing,
): Promise<EventStore> {
  if (eventStoreUrl === undefined) return new PostgresEventStore(databaseUrl);
  const connect = () => openEventStoreDb(eventStoreUrl, seal);
  return AwaitedEventStore.open(connect, compareCursors, { ...waiting, name: 'EventStoreDB' });
}

/** Seals the history of an organization in EventStoreDB as it is now, whatever was sealed before. @throws StartFailure */
export async function sealHistoryAnew(
  eventStoreUrl: string,
  organization: string,
  sealing: Required<Pick<Sealing, 'key' | 'database'>>,
): Promise<ChainHead> {
  const store = await openEventStoreDb(eventStoreUrl);
  try {
    return await store.sealAnew(organization, sealing);
  } catch (error) {
    throw error instanceof SealingFault ? new StartFailure(error.message) : error;
  } finally {
    await store.close();
  }
}

async function openEventStoreDb(url: string, seal?: Sealing) {
  const { EventStoreDbEventStore } = await import('../../eventstoredb/src/eventstoredb-event-store.js');
  return EventStoreDbEventStore.open(url, { seal });
}
