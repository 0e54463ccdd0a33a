import {
  detailsOf,
  ForbiddenProblem,
  Problem,
  type FieldError,
  type MissingPermission,
} from '@ledgerline/contracts/errors/error-codes';
import { Rejection, REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EventTooLarge } from '@ledgerline/platform/event-store/event-store';
import { frameworkProblem } from '@ledgerline/platform/http/problem.filter';
import {
  HistoryUnavailable,
  LogReplaced,
  LogUnavailable,
  OutcomeUnknown,
  StreamDead,
} from '@ledgerline/platform/log/log-reader';
import { ReadStoreUnavailable } from '@ledgerline/platform/read-stores/read-stores';

/** No credential, or one that is not valid: one answer for both, so that it does not show what exists. */
export const authRequired = (): Problem => new Problem('AUTH_REQUIRED', 'Authentication required');

export const forbidden = (...needs: readonly MissingPermission[]): Problem => new ForbiddenProblem(needs);

/** For unknown and foreign ids alike. */
export const notFound = (what: string): Problem => new Problem('NOT_FOUND', `${what} not found`);

export const conflict = (message: string): Problem => new Problem('CONFLICT', message);

/** `count`: of all wrong fields, also those that are not among the details. */
export const invalid = (details: readonly FieldError[], count = details.length): Problem =>
  new Problem('VALIDATION_ERROR', 'The request is not valid', details, undefined, count);

export const unavailableProblem = (retryAfter = 1): Problem =>
  new Problem('SERVICE_UNAVAILABLE', 'The service is not available right now', undefined, retryAfter);

/** A change whose store was lost while it was written. */
const outcomeUnknown = (): Problem =>
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

const isUnavailableFor5s = (error: unknown): error is Error =>
  error instanceof LogReplaced || error instanceof HistoryUnavailable || error instanceof ReadStoreUnavailable;

/** Returns what a failure is to the caller; undefined for a bug. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof Rejection) return problemOfRejection(error);
  if (error instanceof EventTooLarge)
    return new Problem('PAYLOAD_TOO_LARGE', 'The body is too large; the limit is 1 MiB');
  if (error instanceof StreamDead) return conflict(error.message);
  if (isUnavailableFor5s(error)) return new Problem('SERVICE_UNAVAILABLE', error.message, undefined, 5);
  // before the database: a connection that a client breaks off carries the same code as one of ours
  const problem = frameworkProblem(error);
  if (problem) return problem;
  if (error instanceof OutcomeUnknown) return outcomeUnknown();
  return error instanceof LogUnavailable || isUnavailable(error) ? unavailableProblem() : undefined;
}

function problemOfRejection({ fact, field }: Rejection): Problem {
  const { code, message } = REJECTIONS[fact];
  if (field === undefined) return new Problem(code, message);
  if (code === 'VALIDATION_ERROR') return invalid([{ field, message }]);
  return new Problem(code, message, code === 'CONFLICT' ? [{ field, message: `${message}.` }] : undefined);
}
