/** SQLSTATE classes after which the same statement may well succeed: connection, resources, operator, rollback. */
const PASSING_CLASSES = new Set(['08', '53', '57', '40', '25']);
const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';

/** Nothing is wrong with what was asked: the server was away, busy or restarting. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return PASSING_CLASSES.has(state.slice(0, 2)) || state === LOCK_NOT_AVAILABLE;
  // sockets and pg's own client throw plain errors, mistakes in the code do not
  return hasName(error) && (error.name === 'Error' || error.name === 'AggregateError');
}

/** The connection still works: the server itself refused a statement. */
export const isAnswered = (error: unknown): boolean => sqlState(error) !== undefined;

export const isMissingTable = (error: unknown): boolean => sqlState(error) === UNDEFINED_TABLE;

/** What the server answered; undefined when it is not the server's error. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const hasName = (error: unknown): error is { name: unknown } =>
  typeof error === 'object' && error !== null && 'name' in error;
