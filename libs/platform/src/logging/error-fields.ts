import { types } from 'node:util';

/** An error in a log line. */
interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** A chain of causes is followed this far. */
const DEEPEST = 8;

/**
 * An error as it may be logged. TRICKY: whatever else an error carries stays out, because those of databases carry the
 * statement and the values it was given, salts among them.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields | string {
  if (!isError(error)) return typeof error === 'string' ? error : `not an error but ${typeof error}`;
  const { message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.constructor.name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause === undefined || depth >= DEEPEST ? {} : { cause: errorFields(cause, depth + 1) }),
  };
}

/** Also for errors of another realm, which are no instances of our Error. */
export const isError = (error: unknown): error is Error => error instanceof Error || types.isNativeError(error);
