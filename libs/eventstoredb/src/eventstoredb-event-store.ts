import { setTimeout } from 'node:timers/promises';
import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { checkAppend } from '@ledgerline/platform/event-store/appended-events';
import {
  type AppendRequest,
  type AppendOptions,
  type AppendResult,
  type ChainHead,
  type EventStore,
  type ExpectedRevision,
  type HistoryEntry,
  type HistoryPage,
  type NewEvent,
  type RecordedEvent,
  type SealedHead,
  type StreamName,
  storeReplaced,
  wantedIn,
} from '@ledgerline/platform/event-store/event-store';
import { LogChangeListener } from '@ledgerline/platform/log/log-change-listener';
import {
  asOutcomeUnknown,
  BEGINNING,
  checkpointMoved,
  EpochChanged,
  LogUnavailable,
  type Cursor,
  type LogBatch,
  type ReadOptions,
  type WaitOptions,
} from '@ledgerline/platform/log/log-reader';
import { Deadline } from '@ledgerline/platform/log/timing';
import { CategoryProjection } from './category-projection';
import { Connection, isNoPosition } from './connection';
import { damagedIn } from './damage';
import { storedEventCursor, isDecided, storedToRecordedEvent } from './envelope';
import { EventIdCache, EventStoreDbAppender } from './eventstoredb-appender';
import { HistoryBySeals } from './history-by-seals';
import { compareCursors, positionToCursor, toPosition } from './position';
import { PositionDigests, isOnEvent, readCategoryHistory } from './position-digest';
import { RecentEvents } from './recent-events';
import { ResponseTimeout } from './response-timeout';
import type { Sealing } from './sealer';
import { Seals } from './seals';
import { checkEventStoreDbServer, epochOf } from './start-checks';
import { type SealingAnew, sealAnew, StoreSealing } from './store-sealing';

const MAX_PAGE = 5_000;
/** Most of `$all` are links of the system projections, so a page is larger than the batch. */
const PAGE_FACTOR = 6;
const CONFIRMED_AFTER_MS = 300;
const MAX_READ = 4_096;

/** The events behind a position. */
interface Looked {
  /** The event at the position itself, where there is one and it was read. */
  readonly before: readonly StoredEvent[];
  readonly events: readonly StoredEvent[];
  /** Up to here there are no others; undefined where there is nothing. */
  readonly end: Position | undefined;
  readonly isLast: boolean;
}

/** The event store on EventStoreDB 23.10 or newer. */
export class EventStoreDbEventStore implements EventStore {
  private readonly seals: Seals;
  private readonly categories: CategoryProjection;
  private readonly bySeals: HistoryBySeals;
  private readonly ids = new EventIdCache();
  private readonly appender: EventStoreDbAppender;
  private readonly recent: RecentEvents;
  private readonly digests: PositionDigests;
  private readonly changes: LogChangeListener;
  private sealing: StoreSealing | undefined;
  private closed = false;

  private constructor(
    private readonly writing: Connection,
    private readonly reading: Connection,
  ) {
    this.digests = new PositionDigests(reading);
    this.recent = new RecentEvents(reading, () => this.digests.forget());
    this.appender = new EventStoreDbAppender(writing, reading, this.ids, this.recent);
    this.changes = new LogChangeListener(this.recent, () => this.heads());
    this.seals = new Seals(reading);
    this.categories = new CategoryProjection(reading);
    this.bySeals = new HistoryBySeals(reading, this.seals);
  }

  /**
   * Appends have a connection of their own, as the driver replaces a connection when any call on it fails.
   * @throws StartFailure
   */
  static async open(
    url: string,
    { seal, timeoutMs }: { seal?: Sealing | undefined; timeoutMs?: number } = {},
  ): Promise<EventStoreDbEventStore> {
    const timeout = new ResponseTimeout(timeoutMs); // one server, one state
    const reading = Connection.to(url, timeout);
    try {
      await checkEventStoreDbServer(reading);
    } catch (error) {
      await reading.close();
      throw error;
    }
    const store = new EventStoreDbEventStore(Connection.to(url, timeout), reading);
    if (seal) store.sealing = new StoreSealing(store.opened, seal);
    return store;
  }

  async append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult> {
    return this.submit({ stream, expected, events, ...options });
  }

  /** One after the other, as an append is one stream's. */
  async appendInOrder(appends: readonly AppendRequest[]): Promise<readonly AppendResult[]> {
    const results: AppendResult[] = [];
    const deadline = appends[0]?.deadline ?? new Deadline();
    for (const append of appends) {
      const result = await this.submit({ ...append, deadline }).catch((error: unknown) => {
        throw results.length > 0 ? asOutcomeUnknown(error) : error;
      });
      results.push(result);
      if (!result.ok) break;
    }
    return results;
  }

  async readStream(
    stream: StreamName,
    options: {
      direction?: 'forward' | 'backward';
      from?: number;
      limit?: number;
      deadline?: Deadline | undefined;
    } = {},
  ): Promise<readonly RecordedEvent[]> {
    const { direction = 'forward', from, limit = MAX_PAGE, deadline } = options;
    const page = await this.reading.readStream(stream, {
      direction: direction === 'forward' ? 'forwards' : 'backwards',
      maxCount: limit,
      deadline,
      ...(from === undefined ? {} : { from: BigInt(from) }),
    });
    const events = page.flatMap(({ event }) => (event ? [storedToRecordedEvent(event)] : []));
    if (direction === 'forward') this.ids.add(stream, events);
    return events;
  }

  /** The state is asked for after the page was read, which lacks what was not linked any more. */
  async readBack(page: HistoryPage): Promise<readonly HistoryEntry[]> {
    const progress = await this.sealing?.progress(); // before the seals
    const entries = await readCategoryHistory(this.reading, this.seals, page, progress);
    const stoppedAs = await this.categories.stoppedAs();
    return stoppedAs === undefined ? entries : this.bySeals.read(page, stoppedAs, progress);
  }

  async warnings(): Promise<readonly string[]> {
    const warning = await this.categories.warning();
    return warning === undefined ? [] : [warning];
  }

  chainHead(organization: string): Promise<SealedHead | null> {
    return this.seals.head(organization);
  }

  probe(): Promise<void> {
    return this.appender.probe();
  }

  epoch(): Promise<string> {
    return epochOf(this.reading);
  }

  partitions(): Promise<number> {
    return Promise.resolve(1);
  }

  async head(): Promise<Cursor> {
    const [last] = await this.reading.readAll({ direction: 'backwards', maxCount: 1 });
    return last?.event ? storedEventCursor(last.event) : BEGINNING;
  }

  async read(_partition: number, after: Cursor, { max, types, digest }: ReadOptions): Promise<LogBatch<RecordedEvent>> {
    if (digest !== undefined && !digest.startsWith(`${after} `)) throw checkpointMoved(after, digest);
    const { connectionNumber: readOn } = this.digests;
    const look = () => this.lookAfter(after, { max, types, digest });
    const looked = await look().catch(async (error: unknown) => {
      if (!(error instanceof EpochChanged)) throw error;
      await setTimeout(CONFIRMED_AFTER_MS); // a read that a breaking connection cut short looks like another log
      return look();
    });
    for (const organization of damagedIn(looked.events)) this.sealing?.suspect(organization);
    const wanted = wantedIn(looked.events.filter(isDecided), types);
    const isCut = wanted.length > max;
    const last = isCut ? wanted[max - 1]?.position : looked.end;
    const next = last ? positionToCursor(last) : after;
    const passed = isCut ? wanted.slice(0, max) : [...looked.before, ...looked.events];
    return {
      events: wanted.slice(0, max).map(storedToRecordedEvent),
      next,
      atHead: looked.isLast && !isCut,
      digest: await this.digests.of(next, passed, { digest, readOn }),
    };
  }

  async waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    this.recent.include(options.types);
    if (!this.recent.after(after, options.types)) await this.changes.wait(partition, after, options);
  }

  compare(a: Cursor, b: Cursor): number {
    return compareCursors(a, b);
  }

  /** As `sealAnew` of store-sealing.ts. @throws SealingFault */
  sealAnew(organization: string, sealing: SealingAnew, record: () => Promise<string>): Promise<ChainHead> {
    return sealAnew(this.opened, organization, sealing, record);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.sealing?.stop();
    await this.changes.close();
    await Promise.all([this.writing.close(), this.reading.close()]);
  }

  private get opened() {
    return { store: this, seals: this.seals, connection: this.reading };
  }

  private async submit({ stream, expected, events, ...options }: AppendRequest): Promise<AppendResult> {
    const checked = checkAppend(stream, expected, events, options);
    if (this.closed) throw new LogUnavailable('The event store is closed.');
    await this.sealing?.begin();
    return this.appender.append(checked);
  }

  /** Empty while the live subscription makes progress, which brings what is at the head. */
  private async heads(): Promise<ReadonlyMap<number, Cursor>> {
    return new Map(this.recent.hasAdvanced() ? [] : [[0, await this.head()]]);
  }

  private async lookAfter(after: Cursor, { max, types, digest }: ReadOptions): Promise<Looked> {
    try {
      const recent = this.recent.after(after, types);
      if (!recent) return await this.page(after, { max, digest });
      if (digest && !this.digests.isConfirmed(digest)) await this.digests.check(digest);
      return { ...recent, before: [], isLast: true };
    } catch (error) {
      if (error instanceof LogUnavailable) this.digests.forget();
      throw error;
    }
  }

  /** A read of `$all` begins with the place it is given, so the event at `after` comes first. */
  private async page(after: Cursor, { max, digest }: Pick<ReadOptions, 'max' | 'digest'>): Promise<Looked> {
    const from = toPosition(after);
    const maxCount = Math.min(Math.max(max * PAGE_FACTOR, 64), MAX_READ);
    const [page] = await Promise.all([
      this.reading.readAll({ direction: 'forwards', maxCount, ...(from ? { from } : {}) }).catch((error: unknown) => {
        throw isNoPosition(error) ? storeReplaced(after) : error;
      }),
      digest && !isOnEvent(after, digest) && this.digests.check(digest),
    ]);
    const read = page.flatMap(({ event }) => event ?? []);
    const before = read.filter((event) => compareCursors(storedEventCursor(event), after) === 0);
    if (digest && isOnEvent(after, digest)) this.digests.checkAgainst(before[0], digest, after);
    if (read.length === 0 && this.compare(after, await this.head()) > 0) throw storeReplaced(after);
    const events = read.filter((event) => compareCursors(storedEventCursor(event), after) > 0);
    return { before, events, end: events.at(-1)?.position, isLast: page.length < maxCount };
  }
}
