import type { Item } from './outbox';

/** A page whose script fails in a loop reports no more than this in one view. */
export const MAX_ERRORS = 20;

/** Errors that nothing on the page caught. */
export function onError(report: (error: Item) => void): void {
  addEventListener('error', ({ message, filename, lineno, colno, error }) => {
    if (message) report({ ...describe(error, message), filename, lineno, colno });
  });
  addEventListener('unhandledrejection', ({ reason }) => report(describe(reason, String(reason))));
}

const describe = (error: unknown, message: string): Item =>
  error instanceof Error
    ? { message: error.message || message, stack: error.stack, errorType: error.name }
    : { message };
