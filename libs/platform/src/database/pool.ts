import { setImmediate } from 'node:timers/promises';
import { type ClientBase, Pool, type PoolClient, type QueryResultRow } from 'pg';
import type { Sql } from './sql';

/**
 * The purpose and limits of a pool. A statement or an idle transaction over its limit (30 s by default) is ended by the
 * server.
 */
interface PoolOptions extends SessionLimits {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  readonly max: number;
  /**
   * Milliseconds after which the client cancels a statement without any response; by default a little after the
   * server's own statement timeout.
   */
  readonly queryTimeoutMs?: number;
  /** Milliseconds until a server that does not answer counts as away. */
  readonly connectTimeoutMs?: number;
  /** Pipelining: statements are sent before earlier ones are answered. */
  readonly pipeline?: boolean;
}

/** Time for the server to report its own statement timeout before the client's applies, ms. */
export const GRACE_MS = 2_000;
const TIMEOUT_MS = 30_000;
/** A server that does not even begin a read within this time does not respond. */
const BEGIN_TIMEOUT_MS = 4_000;

/** A pool that replaces broken idle connections instead of ending the process. */
export function openPool(options: PoolOptions): Pool {
  const {
    statementTimeoutMs = TIMEOUT_MS,
    idleInTransactionTimeoutMs = TIMEOUT_MS,
    connectTimeoutMs = 5_000,
  } = options;
  const setupTimeoutMs = connectTimeoutMs;
  const pool = new Pool({
    connectionString: options.url,
    application_name: `ledgerline-${options.name}`,
    max: options.max,
    pipeline: options.pipeline ?? false,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: options.queryTimeoutMs ?? statementTimeoutMs + GRACE_MS,
    onConnect: sessionSetup({ ...options, statementTimeoutMs, idleInTransactionTimeoutMs, setupTimeoutMs }),
  });
  // TRICKY: without listeners a connection that breaks, idle or between two statements, ends the process
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  POOLS.add([options.name, pool]);
  return pool;
}

/** The pools of this process, for its metrics. */
const POOLS = new Set<readonly [name: string, pool: Pool]>();

/** The pools that are not closed, by name. */
export function openPools(): readonly (readonly [name: string, pool: Pool])[] {
  for (const entry of POOLS) if (entry[1].ending) POOLS.delete(entry);
  return [...POOLS];
}

/** Executes SQL: a pool, or one connection inside a transaction. */
export type Queryable = Pick<Pool | PoolClient, 'query'>;

export async function run<Row extends object = QueryResultRow>(
  on: Queryable,
  { text, values, name }: Sql,
): Promise<Row[]> {
  if (name !== undefined) return runPrepared(on, name, { text, values });
  const { rows } = await on.query<Row & QueryResultRow>(text, [...values]);
  return rows;
}

/**
 * Runs a prepared statement, which the connection parses and plans once. For lookups by key only: the generic plan does
 * not depend on the values, so it is a bad one where some values have far more rows than others.
 */
export async function runPrepared<Row extends object = QueryResultRow>(
  on: Queryable,
  name: string,
  { text, values }: Sql,
): Promise<Row[]> {
  const { rows } = await on.query<Row & QueryResultRow>({ name, text, values: [...values] });
  return rows;
}

/** Sends the statements that `work` starts synchronously in one packet, on a connection with `pipeline`. */
export function inOneFlush<T>({ connection: { stream } }: Pick<PoolClient, 'connection'>, work: () => T): T {
  stream.cork();
  try {
    return work();
  } finally {
    stream.uncork();
  }
}

/** Runs `work` between `begin` and `commit`; on any error rolls back, and discards a broken connection. */
export const transaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>, begin = 'begin'): Promise<T> =>
  rollingBack(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  });

/** Runs a whole transaction on a connection; on any error rolls back, and discards a broken connection. */
async function rollingBack<T>(pool: Pool, whole: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await whole(client);
  } catch (error) {
    broken = isSilent(error) ? error : await rollbackFailure(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Like `transaction`, for reads and with `pipeline`: the first statements of `work` are sent together with `begin`, and
 * the end of the transaction is not awaited. After an error by which it is spent the connection is discarded.
 */
export async function readTransaction<T>(
  pool: Pool,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
  isSpent: (error: unknown) => boolean = isSilent,
): Promise<T> {
  const client = await pool.connect();
  try {
    const first = { text: begin, query_timeout: BEGIN_TIMEOUT_MS };
    const [begun, working] = inOneFlush(client, () => [client.query(first), work(client)] as const);
    // TRICKY: work may fail before `begin` is answered, and a rejection that is not awaited yet ends the process
    const ended = working.catch(() => undefined);
    await begun.catch(async (error: unknown) => {
      if (!isSilent(error)) await ended; // which still uses the connection
      throw error;
    });
    const result = await working;
    void endThenRelease(client, 'commit');
    return result;
  } catch (error) {
    if (isSpent(error)) client.release(asError(error));
    else void endThenRelease(client, 'rollback');
    throw error;
  }
}

const endThenRelease = (client: PoolClient, how: 'commit' | 'rollback'): Promise<void> =>
  client.query(how).then(
    () => client.release(),
    (failure: unknown) => client.release(asError(failure)),
  );

/**
 * Like `transaction`, with `pipeline`: `begin` is sent together with the first statements of `work`, and `commit` after
 * those that its result starts, without waiting for their answers.
 * @param onSent called when all of it is sent: the transaction then waits for nothing of this process
 */
export const pipelinedTransaction = <T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<() => Promise<T>>,
  begin = 'begin',
  onSent: () => void = () => undefined,
): Promise<T> =>
  rollingBack(pool, async (client) => {
    const [begun, working] = inOneFlush(client, () => [client.query(begin), work(client)] as const);
    const [last] = await Promise.all([working, begun]);
    const finishing = inOneFlush(client, last);
    // TRICKY: the server never sees what the driver refuses, a tick later, and would commit all the rest
    await Promise.race([finishing, setImmediate()]);
    const committed = client.query('commit');
    onSent();
    const [result] = await Promise.all([finishing, committed]);
    return result;
  });

/** A connection whose server did not respond cannot even be rolled back. */
export const isSilent = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout';

const rollbackFailure = (client: PoolClient): Promise<Error | undefined> =>
  client.query('rollback').then(() => undefined, asError);

const asError = (failure: unknown): Error => (failure instanceof Error ? failure : new Error(String(failure)));

/** Milliseconds; 0 = no limit. */
interface SessionLimits {
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  /** Instead of the one of the role. */
  readonly searchPath?: string;
  /** Until a server that does not answer counts as away. */
  readonly setupTimeoutMs?: number;
}

const SETUP_TIMEOUT_MS = 5_000;

/** The parameters that our statements and the driver rely on, and a server, a database or a role may set otherwise. */
const RELIED_ON: Readonly<Record<string, string>> = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  client_min_messages: 'warning',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  idle_session_timeout: '0',
};

/** A commit that is answered before it is on disk would break what is promised; other levels are the operator's choice. */
const DURABLE = `case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;
/** Since Postgres 17. */
const NO_TRANSACTION_TIMEOUT = `case when current_setting('server_version_num')::int >= 170000
  then set_config('transaction_timeout', '0', false) end`;

/**
 * Sets a new connection up in one round trip. Not by startup parameters, which a pooler refuses (PgBouncer takes only those
 * that it tracks). What is returned is a promise, which pools await without saying so in their types.
 */
export function sessionSetup(limits: SessionLimits): (client: ClientBase) => unknown {
  const settings = Object.entries({
    ...RELIED_ON,
    statement_timeout: String(limits.statementTimeoutMs ?? 0),
    lock_timeout: String(limits.lockTimeoutMs ?? 0),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionTimeoutMs ?? 0),
    ...(limits.searchPath === undefined ? {} : { search_path: limits.searchPath }),
  });
  const set = settings.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, false)`);
  const text = `select ${[...set, DURABLE, NO_TRANSACTION_TIMEOUT].join(', ')}`;
  const query = { text, values: settings.flat(), query_timeout: limits.setupTimeoutMs ?? SETUP_TIMEOUT_MS };
  return (client) => client.query(query);
}

const AT_ONCE = 10_000;

/** The rows of a query, inside a transaction: no more are in memory than are read at once. */
export async function* readInPortions<Row extends object>(
  on: Queryable,
  { text, values }: Sql,
): AsyncIterable<readonly Row[]> {
  await run(on, { text: `declare portions cursor for ${text}`, values });
  for (;;) {
    const rows = await run<Row>(on, { text: `fetch ${AT_ONCE} from portions`, values: [] });
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) break;
  }
  await run(on, { text: 'close portions', values: [] });
}
