import { LogUnavailable } from '../log/log-reader';

/** Connection, transaction state, rollback, resources, object in use, operator, system: may go away by itself. */
const PASSING_CLASSES = new Set(['08', '25', '40', '53', '55', '57', '58']);
const SQLSTATE = /^[0-9A-Z]{5}$/;

const BROKEN_CONNECTION = new Set(
  (
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ' +
    'ENOTFOUND EAI_AGAIN ENOTCONN ESHUTDOWN EADDRNOTAVAIL ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END'
  ).split(' '),
);

/** What pg and its pool say without a code: of connections that broke, and of answers that did not come in time. */
const SAID_BY_CLIENT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|There was an error establishing an SSL connection)/;

/**
 * Whether Postgres could not be reached or could not do it just now, as opposed to refusing what was asked. Looks
 * through what wraps the error of the driver: TypeORM's errors, causes, and the errors of several addresses.
 */
export function isUnavailable(error: unknown): boolean {
  return passes(error, 0) ?? false;
}

/** An error that has been wrapped deeper than this is none of Postgres. */
const DEEPEST = 8;

/** Undefined where nothing inside the error says it either way; errors may come from another realm. */
function passes(error: unknown, depth: number): boolean | undefined {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return undefined;
  const { code, syscall, message, driverError, cause, errors } = error as Readonly<Record<string, unknown>>;
  if (typeof code === 'string' && BROKEN_CONNECTION.has(code)) return true;
  if (syscall === 'connect') return true;
  if (typeof code === 'string' && SQLSTATE.test(code)) return PASSING_CLASSES.has(code.slice(0, 2));
  if (typeof message === 'string' && SAID_BY_CLIENT.test(message)) return true;
  const inside = [driverError, cause, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inside.map((one) => passes(one, depth + 1)).find((verdict) => verdict !== undefined);
}

/** Runs a piece of work on Postgres and says LogUnavailable where it was not to be had. */
export async function orUnavailable<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw new LogUnavailable(`${what} cannot be reached just now.`, { cause: error });
    throw error;
  }
}

const UNDEFINED_TABLE = '42P01';

/** The connection still works: the server itself refused a statement. */
export const isServerError = (error: unknown): boolean => sqlState(error) !== undefined;

export const isMissingTable = (error: unknown): boolean => sqlState(error) === UNDEFINED_TABLE;

/** Data exception, integrity constraint violation: what was sent can never be stored. */
export const isBadData = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');

/** What the server answered; undefined when it is not the server's error. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
