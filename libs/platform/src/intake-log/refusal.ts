const UNDEFINED_TABLE = '42P01';

/** The connection still works: the server itself refused a statement. */
export const isAnswered = (error: unknown): boolean => sqlState(error) !== undefined;

export const isMissingTable = (error: unknown): boolean => sqlState(error) === UNDEFINED_TABLE;

/** Data exception, integrity constraint violation: what was sent can never be stored. */
export const isBadData = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');

/** What the server answered; undefined when it is not the server's error. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
