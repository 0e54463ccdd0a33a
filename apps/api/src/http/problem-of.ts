import { types } from 'node:util';
import { HttpException } from '@nestjs/common';
import { Problem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { Rejection, REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import { isUnavailable } from '@ledgerline/platform/database/unavailable';
import { EventTooLarge } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { invalid, unavailable } from './problems';

/** What a failure is to the caller, or undefined when it is a bug that only the log may describe. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof Rejection) return problemOfRejection(error);
  if (error instanceof EventTooLarge) return problemOfStatus(413);
  if (error instanceof LogUnavailable || isUnavailable(error)) return unavailable();
  const status = statusOf(error);
  return status === undefined ? undefined : problemOfStatus(status);
}

function problemOfRejection({ fact, field }: Rejection): Problem {
  const { code, message } = REJECTIONS[fact];
  return code === 'VALIDATION_ERROR' && field ? invalid([{ field, message }]) : new Problem(code, message);
}

/** The status a framework's own error carries, such as a body that is too large or no JSON. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = types.isNativeError(error) && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

function problemOfStatus(status: number): Problem | undefined {
  const [code, message] = FRAMEWORK[status] ?? [];
  if (code && message) return new Problem(code, message);
  return status >= 400 && status < 500 ? new Problem('VALIDATION_ERROR', 'The request is not valid') : undefined;
}

const FRAMEWORK: Readonly<Partial<Record<number, readonly [ErrorCode, string]>>> = {
  400: ['VALIDATION_ERROR', 'The request cannot be read; its body must be JSON'],
  404: ['NOT_FOUND', 'No such route'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large; the limit is 1 MiB'],
  415: ['VALIDATION_ERROR', 'The body must be JSON, with Content-Type: application/json'],
  429: ['RATE_LIMITED', 'Too many requests'],
  503: ['SERVICE_UNAVAILABLE', 'The service is not available right now'],
};
