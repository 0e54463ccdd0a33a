import { isObject } from '@ledgerline/contracts/json';
import { LogUnavailable } from '../log/log-reader';

/** SQLSTATE classes that may pass: connection, transaction state, rollback, resources, object in use, operator, system. */
const TRANSIENT_CLASSES = new Set(['08', '25', '40', '53', '55', '57', '58']);
const SQLSTATE = /^[0-9A-Z]{5}$/;

const BROKEN_CONNECTION = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ' +
    'ENOTFOUND EAI_AGAIN ENOTCONN ESHUTDOWN EADDRNOTAVAIL ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END'
  ).split(' '),
);

/** Messages of pg and its pool that have no code: broken connections and timeouts. */
const CLIENT_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|There was an error establishing an SSL connection)/;

/**
 * Returns whether an error is transient: Postgres could not be reached or was busy, as opposed to rejecting the
 * statement. Also for wrapped errors of the driver: TypeORM's errors, causes, and the errors of several addresses.
 */
export function isUnavailable(error: unknown): boolean {
  return isTransient(error, 0) ?? false;
}

/**
 * Returns what a server or a pooler refuses as long as the configuration is as it is, though by a code that may pass.
 */
export function isRefusedForGood(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return (
    sqlState(error) === PROTOCOL_VIOLATION && /unsupported startup parameter|no such (database|user)/.test(message)
  );
}

/** The number of wrappers that are looked through. */
const DEEPEST = 8;

/** Undefined where the error has no sign of either; errors may come from another realm. */
function isTransient(error: unknown, depth: number): boolean | undefined {
  if (!isObject(error) || depth > DEEPEST) return undefined;
  const { syscall, message, driverError, cause, errors } = error;
  const code = typeof error['code'] === 'string' ? error['code'] : '';
  if (BROKEN_CONNECTION.has(code) || syscall === 'connect') return true;
  if (SQLSTATE.test(code)) return TRANSIENT_CLASSES.has(code.slice(0, 2));
  if (typeof message === 'string' && CLIENT_MESSAGE.test(message)) return true;
  const several: readonly unknown[] = Array.isArray(errors) ? errors : [];
  return [driverError, cause, ...several]
    .map((one) => isTransient(one, depth + 1))
    .find((verdict) => verdict !== undefined);
}

/** Runs `work` and turns transient errors of Postgres into LogUnavailable. */
export async function orUnavailable<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw new LogUnavailable(`${what} cannot be reached just now.`, { cause: error });
    throw error;
  }
}

const PROTOCOL_VIOLATION = '08P01';
const DISK_FULL = '53100';
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const UNDEFINED_FUNCTION = '42883';
const QUERY_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

/** The server itself rejected a statement, so the connection still works. */
export const isServerError = (error: unknown): boolean => sqlState(error) !== undefined;

export const isMissingTable = (error: unknown): boolean => sqlState(error) === UNDEFINED_TABLE;

export const isMissingColumn = (error: unknown): boolean => sqlState(error) === UNDEFINED_COLUMN;

export const isMissingFunction = (error: unknown): boolean => sqlState(error) === UNDEFINED_FUNCTION;

/** Postgres had no room to write, also where that is the cause of an error. */
export function isDiskFull(error: unknown, depth = 0): boolean {
  if (sqlState(error) === DISK_FULL) return true;
  const isWrapped = typeof error === 'object' && error !== null && 'cause' in error && depth < DEEPEST;
  return isWrapped && isDiskFull(error.cause, depth + 1);
}

/** Postgres ended a statement: it ran for longer than it may, or its client went away. */
export const isCanceled = (error: unknown): boolean => sqlState(error) === QUERY_CANCELED;

/** Somebody else has the lock, and had it for as long as was waited. */
export const isLocked = (error: unknown): boolean => sqlState(error) === LOCK_NOT_AVAILABLE;

/** The server ended the connection, whatever it was about to do: a commit may have happened. */
export const isShuttingDown = (error: unknown): boolean => /^57P0/.test(sqlState(error) ?? '');

/** Data exception or integrity constraint violation: the data can never be stored. */
export const isBadData = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');

/**
 * Returns whether it is a value that the database refuses, or a limit that the data goes beyond, or what a function
 * raised: another row might not fail so.
 */
export const isDueToData = (error: unknown): boolean => /^(2[123]|54|P0)/.test(sqlState(error) ?? '');

/** The SQLSTATE of an error of the server; undefined for other errors. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
