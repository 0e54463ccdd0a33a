import type { Pool } from 'pg';
import { INTAKE_PARTITIONS } from '../config/settings';
import { orUnavailable } from '../database/database-errors';
import { openPool, run, transaction } from '../database/pool';
import { PostgresNotifications } from '../database/postgres-notifications';
import { sql } from '../database/sql';
import { LogChangeListener } from '../log/log-change-listener';
import {
  BEGINNING,
  type Cursor,
  type LogBatch,
  LogUnavailable,
  type ReadOptions,
  type WaitOptions,
} from '../log/log-reader';
import { maintainDeduplication } from './deduplication';
import { encodeHit } from './encoded-hit';
import { HitSender, type SenderOptions } from './hit-sender';
import {
  type IntakeItem,
  type IntakeLog,
  type LoggedHit,
  type SendResult,
  offsetOf,
  readEpoch,
  readHeads,
  readPartitions,
} from './intake-log';
import { SegmentReader } from './segment-reader';

export interface IntakeLogOptions extends Partial<SenderOptions> {
  readonly databaseUrl: string;
  /** Number of partitions of a new log; an existing log keeps its own. */
  readonly partitions?: number;
}

export const DEFAULT_SENDING: SenderOptions = {
  lingerMs: 25,
  maxFlush: 4_000,
  maxPendingBytes: 64 * 1024 * 1024,
  retryForMs: 3_000,
};

/** The intake log of this installation; its tables must exist (migrations). */
export async function openIntakeLog({
  databaseUrl,
  partitions = INTAKE_PARTITIONS,
  ...sending
}: IntakeLogOptions): Promise<IntakeLog> {
  const writing = openPool({
    url: databaseUrl,
    name: 'intake-write',
    max: 2,
    pipeline: true,
    statementTimeoutMs: 3_000,
    idleInTransactionTimeoutMs: 5_000,
    lockTimeoutMs: 2_000,
    queryTimeoutMs: 4_000,
  });
  const fixed = await establish(writing, partitions);
  await maintainDeduplication(writing, sending.now?.());
  return new PostgresIntakeLog({
    databaseUrl,
    partitions: fixed,
    writing,
    reading: openPool({ url: databaseUrl, name: 'intake-read', max: 6 }),
    sending: { ...DEFAULT_SENDING, ...sending },
  });
}

/** Makes the log where there is none; answers how many partitions it has. */
export async function fixPartitions({
  databaseUrl,
  partitions = INTAKE_PARTITIONS,
}: Pick<IntakeLogOptions, 'databaseUrl' | 'partitions'>): Promise<number> {
  const pool = openPool({ url: databaseUrl, name: 'intake-start', max: 1 });
  try {
    return await establish(pool, partitions);
  } finally {
    await pool.end();
  }
}

/** Makes the log where there is none; answers how many partitions it has. */
function establish(writing: Pool, partitions: number): Promise<number> {
  return transaction(writing, async (client) => {
    await run(client, sql`insert into intake_log (partitions) values (${partitions}) on conflict do nothing`);
    const heads = sql`
      insert into intake_heads (partition) select generate_series(0, partitions - 1) from intake_log
      on conflict do nothing`;
    await run(client, heads);
    return (await readPartitions(client)) ?? partitions;
  });
}

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
  private readonly segments: SegmentReader;
  private readonly changes: LogChangeListener;
  private closed = false;

  constructor(private readonly parts: PostgresIntakeLogParts) {
    this.sender = new HitSender(parts.writing, parts.sending);
    this.segments = new SegmentReader(parts.reading);
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
    return this.query(() => this.segments.read(partition, after, options));
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
