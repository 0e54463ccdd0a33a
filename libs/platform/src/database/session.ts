import type { ClientBase } from 'pg';

/** Milliseconds; 0 = no limit. */
export interface SessionLimits {
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  /** Instead of the one of the role. */
  readonly searchPath?: string;
  /** Until a server that does not answer counts as away. */
  readonly setupTimeoutMs?: number;
}

const SETUP_TIMEOUT_MS = 5_000;

/** What our statements and the driver rely on, and a server, a database or a role may set otherwise. */
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
