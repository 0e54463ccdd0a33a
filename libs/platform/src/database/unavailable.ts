import { DatabaseError } from 'pg';
import { LogUnavailable } from '../log/log-reader';

/** Connection, rollback, resources, operator, system, invalid transaction state: may go away by itself. */
const PASSING_CLASSES = new Set(['08', '25', '40', '53', '55', '57', '58']);

/** Whether Postgres could not be reached or could not do it just now, as opposed to refusing what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return PASSING_CLASSES.has(error.code?.slice(0, 2) ?? '');
  if (error instanceof AggregateError) return error.errors.every(isUnavailable); // every address of a host refused
  return error instanceof Error && error.constructor === Error; // what pg and sockets throw; not a TypeError of ours
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
