import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { HttpException } from '@nestjs/common';

const RETRY_SECONDS = 2;

/** The problem that a client gets for a failure; that of a bug is INTERNAL, without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LogUnavailable)
    return new Problem('SERVICE_UNAVAILABLE', 'Nothing was accepted; please try again', undefined, RETRY_SECONDS);
  if (error instanceof HitTooLarge) return new Problem('PAYLOAD_TOO_LARGE', 'An event is too large');
  return FRAMEWORK[statusOf(error) ?? 500] ?? new Problem('INTERNAL', 'Something went wrong on our side');
}

/** The status a framework's own error carries, such as a body that is too large or no JSON. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

const FRAMEWORK: Readonly<Partial<Record<number, Problem>>> = {
  400: new Problem('VALIDATION_ERROR', 'The request cannot be read; its body must be JSON'),
  404: new Problem('NOT_FOUND', 'No such route'),
  413: new Problem('PAYLOAD_TOO_LARGE', 'The body is too large; the limit is 1 MiB, for errors 128 KiB'),
  414: new Problem('VALIDATION_ERROR', 'The address is too long'),
  415: new Problem('VALIDATION_ERROR', 'The body must be JSON'),
  503: new Problem('SERVICE_UNAVAILABLE', 'The service is stopping', undefined, RETRY_SECONDS),
};

/** The body of every error on this host. */
export const bodyOf = ({ code, message, details }: Problem, requestId: string) => ({
  success: false,
  status: 'error',
  error: message,
  message,
  code,
  requestId,
  ...(details ? { errors: details } : {}),
});
