import { Pool, type PoolClient, type QueryResultRow } from 'pg';
import type { Sql } from './sql';

/** What a pool is for; shows up in `pg_stat_activity` and decides its limits. */
export interface PoolOptions {
  readonly url: string;
  readonly name: string;
  readonly max: number;
  /** Milliseconds; a statement or an idle transaction over its limit is ended by the server. */
  readonly statementTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /**
   * Milliseconds after which this side gives up on a server that does not answer at all; by default a little after the
   * server itself would have ended the statement.
   */
  readonly queryTimeoutMs?: number;
  /** Statements may be sent before the ones before them are answered. */
  readonly pipeline?: boolean;
}

/** What a server has to say that a statement took too long, before it counts as hung, ms. */
export const GRACE_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** A pool whose broken idle connections are replaced instead of ending the process. */
export function openPool(options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    connectionString: options.url,
    application_name: `ledgerline-${options.name}`,
    max: options.max,
    pipeline: options.pipeline ?? false,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: options.queryTimeoutMs ?? statementTimeoutMs + GRACE_MS,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 30_000,
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  });
  // TRICKY: without listeners a connection that breaks, idle or between two statements, ends the process
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Something that answers SQL: a pool, or one connection inside a transaction. */
export type Queryable = Pick<Pool | PoolClient, 'query'>;

export async function run<Row extends QueryResultRow>(on: Queryable, { text, values }: Sql): Promise<Row[]> {
  const { rows } = await on.query<Row>(text, [...values]);
  return rows;
}

/** Runs `work` between `begin` and `commit`; on any error rolls back, and gives up a connection that is broken. */
export async function transaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    broken = isSilent(error) ? error : await rollbackFailure(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** A connection whose server did not answer is of no use, not even for a rollback. */
const isSilent = (error: unknown): error is Error => error instanceof Error && error.message === 'Query read timeout';

const rollbackFailure = (client: PoolClient): Promise<Error | undefined> =>
  client.query('rollback').then(
    () => undefined,
    (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
  );
