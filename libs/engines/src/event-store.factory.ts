import type { KeyObject } from 'node:crypto';
import { compareCursors } from '@ledgerline/eventstoredb/position';
import type { Sealing } from '@ledgerline/eventstoredb/sealer';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type {
  AppendRequest,
  AppendOptions,
  AppendResult,
  ChainHead,
  EventStore,
  ExpectedRevision,
  HistoryEntry,
  HistoryPage,
  NewEvent,
  RecordedEvent,
  SealedHead,
  StreamName,
} from '@ledgerline/platform/event-store/event-store';
import { PostgresEventStore } from '@ledgerline/platform/event-store/postgres-event-store';
import { SealingFault } from '@ledgerline/platform/event-store/verify-chain';
import type { Cursor, LogBatch, ReadOptions, WaitOptions } from '@ledgerline/platform/log/log-reader';
import { OpenedWhenUp, type StoreWait } from '@ledgerline/platform/log/opened-when-up';

/** An event store that may be away when the process starts; until it is there, every call is refused as unavailable. */
class AwaitedEventStore implements EventStore {
  private constructor(
    private readonly opened: OpenedWhenUp<EventStore>,
    /** Needs no server. */
    readonly compare: (a: Cursor, b: Cursor) => number,
  ) {}

  /** @throws StartFailure where waiting changes nothing */
  static async open(
    connect: () => Promise<EventStore>,
    compare: (a: Cursor, b: Cursor) => number,
    waiting: StoreWait,
  ): Promise<EventStore> {
    return new AwaitedEventStore(await OpenedWhenUp.open(connect, waiting), compare);
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult> {
    return this.opened.get().append(stream, expected, events, options);
  }

  async appendInOrder(appends: readonly AppendRequest[]): Promise<readonly AppendResult[]> {
    return this.opened.get().appendInOrder(appends);
  }

  async readStream(
    stream: StreamName,
    options?: Parameters<EventStore['readStream']>[1],
  ): Promise<readonly RecordedEvent[]> {
    return this.opened.get().readStream(stream, options);
  }

  async readBack(page: HistoryPage): Promise<readonly HistoryEntry[]> {
    return this.opened.get().readBack(page);
  }

  async chainHead(organization: string): Promise<SealedHead | null> {
    return this.opened.get().chainHead(organization);
  }

  async epoch(): Promise<string> {
    return this.opened.get().epoch();
  }

  /** Both stores have one partition. */
  partitions(): Promise<number> {
    return Promise.resolve(1);
  }

  async head(partition: number): Promise<Cursor> {
    return this.opened.get().head(partition);
  }

  async read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<RecordedEvent>> {
    return this.opened.get().read(partition, after, options);
  }

  async waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    return this.opened.get().waitForMore(partition, after, options);
  }

  async probe(): Promise<void> {
    return this.opened.get().probe();
  }

  async warnings(): Promise<readonly string[]> {
    return this.opened.get().warnings();
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

/** Where decided events are stored: in an EventStoreDB if one is named, else in the database. */
export interface EventStoreAddress {
  readonly databaseUrl: string;
  readonly eventStoreUrl?: string | undefined;
  /** Begins the signed statements of an event store in the database; Ed25519, private. */
  readonly auditSigningKey?: KeyObject;
}

/**
 * Opens the event store, and seals hash chains there if it does not do so by itself. The driver of EventStoreDB is
 * loaded only where it is used.
 * @throws StartFailure when EventStoreDB cannot be reached or cannot serve, in one sentence
 */
export async function openEventStore(
  { databaseUrl, eventStoreUrl, auditSigningKey }: EventStoreAddress,
  seal?: Sealing,
): Promise<EventStore> {
  if (eventStoreUrl === undefined) return new PostgresEventStore(databaseUrl, auditSigningKey);
  return openEventStoreDb(eventStoreUrl, seal);
}

/**
 * Opens the event store for a process that serves also while an EventStoreDB is away.
 * @throws StartFailure where EventStoreDB cannot serve, however long one waits
 */
export async function openEventStoreWhenUp(
  { databaseUrl, eventStoreUrl, auditSigningKey }: EventStoreAddress,
  waiting: Omit<StoreWait, 'name'>,
  seal?: Sealing,
): Promise<EventStore> {
  if (eventStoreUrl === undefined) return new PostgresEventStore(databaseUrl, auditSigningKey);
  const connect = () => openEventStoreDb(eventStoreUrl, seal);
  return AwaitedEventStore.open(connect, compareCursors, { ...waiting, name: 'EventStoreDB' });
}

/**
 * Seals the history of an organization in EventStoreDB as it is now, whatever was sealed before, once `record` has recorded
 * that. @throws StartFailure
 */
export async function sealHistoryAnew(
  eventStoreUrl: string,
  organization: string,
  sealing: Sealing & Required<Pick<Sealing, 'database'>>,
  record: () => Promise<string>,
): Promise<ChainHead> {
  const store = await openEventStoreDb(eventStoreUrl);
  try {
    return await store.sealAnew(organization, sealing, record);
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
