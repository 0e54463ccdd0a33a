import type { Pool } from 'pg';
import { orUnavailable } from '../database/database-errors';
import { LogChangeListener } from '../log/log-change-listener';
import {
  BEGINNING,
  type Cursor,
  type LogBatch,
  LogUnavailable,
  type ReadOptions,
  type WaitOptions,
} from '../log/log-reader';
import { PostgresNotifications } from '../database/postgres-notifications';
import { encodeHit } from './encoded-hit';
import { HitSender, type SenderOptions } from './hit-sender';
import type { IntakeItem, IntakeLog, LoggedHit, SendResult } from './intake-log';
import { offsetOf, readEpoch, readHeads } from './intake-log-tables';
import { readSegments } from './segment-reader';

interface PostgresIntakeLogParts {
  readonly databaseUrl: string;
  readonly partitions: number;
  readonly writing: Pool;
  readonly reading: Pool;
  readonly sending: SenderOptions;
}

/** Observed events as compressed, hash-chained segments in Postgres. Cursors are offsets in decimal. */
export class PostgresIntakeLog implements IntakeLog {
  private readonly sender: HitSender;
  private readonly changes: LogChangeListener;
  private closed = false;

  constructor(private readonly parts: PostgresIntakeLogParts) {
    this.sender = new HitSender(parts.writing, parts.sending);
    const notifications = new PostgresNotifications({
      url: parts.databaseUrl,
      channel: 'intake_log',
      applicationName: 'ledgerline-intake-listen',
      toChange: (partitions) => ({ partitions: new Set(partitions.map(Number)) }),
    });
    this.changes = new LogChangeListener(notifications, () => readHeads(parts.reading));
  }

  async send(hits: readonly IntakeItem[]): Promise<SendResult> {
    if (this.closed) throw new LogUnavailable('the intake log is closed');
    if (hits.length === 0) return { outcomes: [], positions: new Map() };
    return this.sender.send(hits.map((hit) => encodeHit(hit, this.parts.partitions)));
  }

  async probe(): Promise<void> {
    await this.head(0);
  }

  async epoch(): Promise<string> {
    const epoch = await this.query(() => readEpoch(this.parts.reading));
    if (epoch === undefined) throw new LogUnavailable('the intake log has no epoch');
    return epoch;
  }

  partitions(): Promise<number> {
    return Promise.resolve(this.parts.partitions);
  }

  async head(partition: number): Promise<Cursor> {
    const heads = await this.query(() => readHeads(this.parts.reading));
    return heads.get(partition) ?? BEGINNING;
  }

  read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<LoggedHit>> {
    return this.query(() => readSegments(this.parts.reading, partition, after, options));
  }

  waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    return this.changes.wait(partition, after, options);
  }

  compare(a: Cursor, b: Cursor): number {
    return offsetOf(a) - offsetOf(b);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.sender.idle();
    await this.changes.close();
    await Promise.all([this.parts.writing.end(), this.parts.reading.end()]);
  }

  private query<T>(work: () => Promise<T>): Promise<T> {
    return orUnavailable('The intake log', work);
  }
}
