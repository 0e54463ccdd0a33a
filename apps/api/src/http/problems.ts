import {
  detailsOf,
  ForbiddenProblem,
  Problem,
  type FieldError,
  type Need,
} from '@ledgerline/contracts/errors/error-codes';

/** No credential, or one that is not valid: one answer for both, so that it does not show what exists. */
export const authRequired = (): Problem => new Problem('AUTH_REQUIRED', 'Authentication required');

export const forbidden = (...needs: readonly Need[]): Problem => new ForbiddenProblem(needs);

/** For unknown and foreign ids alike. */
export const notFound = (what: string): Problem => new Problem('NOT_FOUND', `${what} not found`);

export const conflict = (message: string): Problem => new Problem('CONFLICT', message);

export const invalid = (details: readonly FieldError[]): Problem =>
  new Problem('VALIDATION_ERROR', 'The request is not valid', details);

export const unavailable = (retryAfter = 1): Problem =>
  new Problem('SERVICE_UNAVAILABLE', 'The service is not available right now', undefined, retryAfter);

/** A change whose store was lost while it was written. */
export const outcomeUnknown = (): Problem =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    'The store was lost while this was written: it may be stored or not. Send it again with the same Idempotency-Key, which returns the first result if it is; without a key look first, as a repeated request may create a second one.',
    undefined,
    1,
  );

/** The body of every error. */
export const bodyOf = (problem: Problem, requestId: string) => {
  const details = detailsOf(problem);
  return { success: false, error: problem.message, code: problem.code, requestId, ...(details ? { details } : {}) };
};
