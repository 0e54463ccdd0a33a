import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Rejection, REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EventTooLarge } from '@ledgerline/platform/event-store/event-store';
import { ReadStoreUnavailable } from '@ledgerline/platform/read-stores/read-store';
import { frameworkProblem } from '@ledgerline/platform/http/framework-problems';
import { LogReplaced, LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { invalid, outcomeUnknown, unavailable } from './problems';

/** What a failure is to the caller; undefined for a bug. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof Rejection) return problemOfRejection(error);
  if (error instanceof EventTooLarge)
    return new Problem('PAYLOAD_TOO_LARGE', 'The body is too large; the limit is 1 MiB');
  if (error instanceof LogReplaced) return new Problem('SERVICE_UNAVAILABLE', error.message, undefined, 5);
  if (error instanceof ReadStoreUnavailable) return new Problem('SERVICE_UNAVAILABLE', error.message, undefined, 5);
  // before the database: a connection that a client breaks off carries the same code as one of ours
  const problem = frameworkProblem(error);
  if (problem) return problem;
  if (error instanceof OutcomeUnknown) return outcomeUnknown();
  return error instanceof LogUnavailable || isUnavailable(error) ? unavailable() : undefined;
}

function problemOfRejection({ fact, field }: Rejection): Problem {
  const { code, message } = REJECTIONS[fact];
  if (field === undefined) return new Problem(code, message);
  if (code === 'VALIDATION_ERROR') return invalid([{ field, message }]);
  return new Problem(code, message, code === 'CONFLICT' ? [{ field, message: `${message}.` }] : undefined);
}
