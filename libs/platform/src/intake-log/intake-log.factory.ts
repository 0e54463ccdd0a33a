import type { Pool } from 'pg';
import { INTAKE_PARTITIONS } from '../config/settings';
import { openPool, run, transaction } from '../database/pool';
import { sql } from '../database/sql';
import type { SenderOptions } from './hit-sender';
import { PostgresIntakeLog } from './postgres-intake-log';
import { readPartitions } from './intake-log-tables';
import { maintainDeduplication } from './deduplication';
import type { IntakeLog } from './intake-log';

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
