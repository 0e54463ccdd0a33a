/** SQLSTATE classes after which the same statement may well succeed: connection, resources, operator, rollback. */
const PASSING_CLASSES = new Set(['08', '53', '57', '40', '25']);
const LOCK_NOT_AVAILABLE = '55P03';
const READ_ONLY = '25006';
const UNDEFINED_TABLE = '42P01';

/** Nothing is wrong with what was asked: the server was away, busy or restarting. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error);
  // errors of sockets and of pg itself bear no SQLSTATE
  if (code?.length !== 5 || !/^[0-9A-Z]{5}$/.test(code)) return error instanceof Error && !(error instanceof TypeError);
  return PASSING_CLASSES.has(code.slice(0, 2)) || code === LOCK_NOT_AVAILABLE || code === READ_ONLY;
}

export const isMissingTable = (error: unknown): boolean => codeOf(error) === UNDEFINED_TABLE;

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
