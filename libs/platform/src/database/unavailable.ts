import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { LogUnavailable } from '../log/log-reader';

/** Connection, rollback, resources, operator, system, invalid transaction state: may go away by itself. */
const PASSING_CLASSES = new Set(['08', '25', '40', '53', '55', '57', '58']);

/** Whether Postgres could not be reached or could not do it just now, as opposed to refusing what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof QueryFailedError) return isUnavailable(error.driverError);
  if (error instanceof DatabaseError) return PASSING_CLASSES.has(error.code?.slice(0, 2) ?? '');
  if (isSystemError(error)) return true;
  return error instanceof Error && error.constructor === Error; // what pg says of connections; not a TypeError of ours
}

/** ECONNREFUSED and the like; told by its code, as errors of Node's own may come from another realm. */
const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && /^E[A-Z]+$/.test(String(error.code));

/** Runs a piece of work on Postgres and says LogUnavailable where it was not to be had. */
export async function orUnavailable<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error)) throw new LogUnavailable(`${what} cannot be reached just now.`, { cause: error });
    throw error;
  }
}
