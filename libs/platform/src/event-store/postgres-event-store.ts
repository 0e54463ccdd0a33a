import type { KeyObject } from 'node:crypto';
import type { Pool } from 'pg';
import { orUnavailable } from '../database/database-errors';
import { openPool, run, runPrepared } from '../database/pool';
import { PostgresNotifications } from '../database/postgres-notifications';
import { sql, type Sql } from '../database/sql';
import { Batcher } from '../log/batcher';
import { LogChangeListener } from '../log/log-change-listener';
import {
  EpochChanged,
  LogUnavailable,
  type Cursor,
  type LogBatch,
  type ReadOptions,
  type WaitOptions,
} from '../log/log-reader';
import { EventLoopLoad } from '../log/timing';
import { lastOf, checkAppend, type CheckedAppend } from './appended-events';
import type {
  AppendRequest,
  AppendResult,
  ChainHead,
  EventStore,
  ExpectedRevision,
  HistoryEntry,
  HistoryPage,
  NewEvent,
  RecordedEvent,
  StreamName,
} from './event-store';
import { beginStatements } from './head-signer';
import { PostgresAppender } from './postgres-appender';
import {
  eventColumns,
  rowToRecordedEvent,
  readPostgresHistory,
  headLost,
  readEventsAfter,
  postgresCursor,
} from './postgres-reads';

const CHANNEL = 'ledgerline_events';
const MAX_GROUP = 256;
/**
 * A process with more to do than its event loop can handle loses nothing by waiting for a larger group, and each group
 * costs it and Postgres a few milliseconds of CPU.
 */
const BUSY = 0.8;
const LINGER_MS = 12;
const LARGE_GROUP = 32;
const MAX_PAGE = 5_000;

/** The event store on Postgres: appends are serialised, and those that wait share a transaction. */
export class PostgresEventStore implements EventStore {
  private readonly appends: Batcher<readonly CheckedAppend[], AppendResult[]>;
  private readonly writing: Pool;
  private readonly reading: Pool;
  private readonly changes: LogChangeListener;
  private closed = false;
  /** Settled once the signed statements have begun, which they do before the first event. */
  private begun: Promise<void> | undefined;

  /** The key signs statement 0 of a store without events before the first of them; Ed25519, private. */
  constructor(
    url: string,
    private readonly signingKey?: KeyObject,
  ) {
    this.writing = openPool({
      url,
      name: 'append',
      max: 2,
      statementTimeoutMs: 5_000,
      lockTimeoutMs: 3_000,
      idleInTransactionTimeoutMs: 5_000,
      pipeline: true,
    });
    this.reading = openPool({ url, name: 'events', max: 4 });
    const notifications = new PostgresNotifications({
      url,
      channel: CHANNEL,
      applicationName: 'ledgerline-listen',
      toChange: (types) => ({ types: new Set(types) }),
    });
    this.changes = new LogChangeListener(notifications, async () => new Map([[0, await this.head()]]));
    const appender = new PostgresAppender(this.writing);
    const load = new EventLoopLoad();
    const flush = async (group: readonly (readonly CheckedAppend[])[]) => {
      await this.begin();
      return appender.flush(group).finally(() => this.notify(typesOf(group)));
    };
    this.appends = new Batcher(flush, {
      maxBatch: MAX_GROUP,
      sizeOf: (sequence) => sequence.length,
      lingerMs: () => (load.now() > BUSY ? LINGER_MS : 0),
      lingerUpTo: LARGE_GROUP,
      isolates: (error) => !(error instanceof LogUnavailable),
    });
  }

  /** `newIds` makes no difference here: the ids are compared inside the transaction. */
  async append(stream: StreamName, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    return lastOf(await this.submit([{ stream, expected, events }]));
  }

  appendInOrder(appends: readonly AppendRequest[]): Promise<readonly AppendResult[]> {
    return this.submit(appends);
  }

  async readStream(
    stream: StreamName,
    {
      direction = 'forward',
      from,
      limit = MAX_PAGE,
    }: { direction?: 'forward' | 'backward'; from?: number; limit?: number } = {},
  ): Promise<readonly RecordedEvent[]> {
    const start = from ?? (direction === 'forward' ? 0 : 2 ** 31 - 1);
    return this.select(
      `stream ${direction}`,
      direction === 'forward'
        ? sql`stream = ${stream} and revision >= ${start} order by revision limit ${limit}`
        : sql`stream = ${stream} and revision <= ${start} order by revision desc limit ${limit}`,
    );
  }

  warnings(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** A transaction id is only given where writing is possible, also of a transaction that writes nothing. */
  async probe(): Promise<void> {
    await orUnavailable('The event store', () => run(this.writing, sql`select pg_current_xact_id()`));
  }

  async readBack({ organization, before, limit }: HistoryPage): Promise<readonly HistoryEntry[]> {
    if (before !== undefined && !POSITION.test(before)) throw new EpochChanged(`"${before}" is no position.`);
    const end = before === undefined ? undefined : toPosition(before);
    return orUnavailable('The event store', () => readPostgresHistory(this.reading, { organization, end, limit }));
  }

  async chainHead(organization: string): Promise<ChainHead | null> {
    const heads = await this.query(
      sql`select revision, encode(hash, 'hex') as hash from organization_chains
          where organization = ${organization} and revision >= 0`,
      ({ revision, hash }: { revision: string; hash: string }) => ({ revision: Number(revision), hash }),
    );
    return heads[0] ?? null;
  }

  async epoch(): Promise<string> {
    return (await this.headRow()).epoch;
  }

  partitions(): Promise<number> {
    return Promise.resolve(1);
  }

  async head(): Promise<Cursor> {
    return postgresCursor((await this.headRow()).position);
  }

  read(_partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<RecordedEvent>> {
    return orUnavailable('The event store', () => readEventsAfter(this.reading, toPosition(after), options));
  }

  waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    return this.changes.wait(partition, after, options);
  }

  compare(a: Cursor, b: Cursor): number {
    const one = toPosition(a);
    const other = toPosition(b);
    return one === other ? 0 : one - other;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.appends.idle();
    await Promise.all([this.changes.close(), this.writing.end(), this.reading.end()]);
  }

  private async submit(appends: readonly AppendRequest[]): Promise<AppendResult[]> {
    const checked = appends.map(({ stream, expected, events }) => checkAppend(stream, expected, events));
    if (this.closed) throw new LogUnavailable('The event store is closed.');
    return this.appends.submit(checked);
  }

  private begin(): Promise<void> {
    this.begun ??= this.assertBegun().catch((error: unknown) => {
      this.begun = undefined;
      throw error;
    });
    return this.begun;
  }

  private async assertBegun(): Promise<void> {
    const { signingKey: key, writing } = this;
    if (!key || (await orUnavailable('The event store', () => beginStatements(writing, key)))) return;
    throw new LogUnavailable('The event store takes no event before statement 0 is signed with AUDIT_SIGNING_KEY.');
  }

  private select(name: string, which: Sql): Promise<RecordedEvent[]> {
    return this.prepared(name, sql`select ${eventColumns} from events where ${which}`, rowToRecordedEvent);
  }

  private async headRow(): Promise<{ position: number; epoch: string }> {
    const [head] = await this.prepared(
      'head',
      sql`select position, epoch from event_store_head`,
      ({ position, epoch }: { position: string; epoch: string }) => ({ position: Number(position), epoch }),
    );
    if (!head) throw headLost();
    return head;
  }

  private query<Row extends object, T>(query: Sql, read: (row: Row) => T): Promise<T[]> {
    return orUnavailable('The event store', async () => (await run<Row>(this.reading, query)).map(read));
  }

  private prepared<Row extends object, T>(name: string, query: Sql, read: (row: Row) => T): Promise<T[]> {
    return orUnavailable('The event store', async () => (await runPrepared<Row>(this.reading, name, query)).map(read));
  }

  /** After the commit, so that it holds no lock while others write; not awaited. */
  private notify(types: string): void {
    runPrepared(this.reading, 'notify', sql`select pg_notify(${CHANNEL}, ${types})`).catch(() => undefined);
  }
}

/** Separated by commas: readers of other types need not look for new events. */
const typesOf = (group: readonly (readonly CheckedAppend[])[]): string =>
  [...new Set(group.flatMap((sequence) => sequence.flatMap(({ events }) => events.map(({ type }) => type))))].join();

/** No more digits than a number holds exactly. */
const POSITION = /^\d{0,15}$/;

/** A place of another log counts as beyond everything. */
const toPosition = (cursor: Cursor): number => (POSITION.test(cursor) ? Number(cursor) : Number.MAX_SAFE_INTEGER);
