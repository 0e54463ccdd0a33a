import type { Cursor, LogBatch, ReadOptions, WaitOptions } from '@ledgerline/platform/log/log-reader';
import { OpenedWhenUp, type Waiting } from '@ledgerline/platform/log/opened-when-up';
import type {
  Append,
  AppendOptions,
  AppendResult,
  EventStore,
  ExpectedRevision,
  HistoryEntry,
  HistoryPage,
  NewEvent,
  RecordedEvent,
  SealedHead,
  StreamName,
} from '@ledgerline/platform/event-store/event-store';

/** An event store that may be away when the process starts; until it is there, every call is refused as unavailable. */
export class AwaitedEventStore implements EventStore {
  private constructor(
    private readonly opened: OpenedWhenUp<EventStore>,
    /** Needs no server. */
    readonly compare: (a: Cursor, b: Cursor) => number,
  ) {}

  /** @throws StartFailure where waiting changes nothing */
  static async open(
    connect: () => Promise<EventStore>,
    compare: (a: Cursor, b: Cursor) => number,
    waiting: Waiting,
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

  async appendInOrder(appends: readonly Append[]): Promise<readonly AppendResult[]> {
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

  /** Of both stores. */
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

  close(): Promise<void> {
    return this.opened.close();
  }
}
