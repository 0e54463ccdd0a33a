import { types } from 'node:util';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { HttpException } from '@nestjs/common';
import { ProtocolProblem } from './statuses';

/** What an error of Nest or Fastify is to the caller, by the status it carries; undefined for other errors. */
export function frameworkProblem(error: unknown): Problem | undefined {
  const status = frameworkStatus(error);
  if (status === undefined || status < 400 || (status > 499 && status !== 503)) return undefined;
  return PROBLEMS[status]?.() ?? new Problem('VALIDATION_ERROR', 'The request is not valid');
}

function frameworkStatus(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = types.isNativeError(error) && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

const PROBLEMS: Readonly<Partial<Record<number, () => Problem>>> = {
  400: () => new Problem('VALIDATION_ERROR', 'The request cannot be read; its body must be JSON'),
  404: () => new Problem('NOT_FOUND', 'No such route'),
  408: () => requestTimeout(),
  413: () => new Problem('PAYLOAD_TOO_LARGE', 'The body is too large'),
  414: () => new Problem('VALIDATION_ERROR', 'The address is too long'),
  415: () => new ProtocolProblem(415, 'The body must be JSON, with Content-Type: application/json'),
  429: () => new Problem('RATE_LIMITED', 'Too many requests'),
  503: () => new Problem('SERVICE_UNAVAILABLE', 'The service is not available right now', undefined, 1),
};

export const requestTimeout = (): Problem => new Problem('REQUEST_TIMEOUT', 'The request did not arrive whole in time');

/** What a bug is to the caller. */
export const internalProblem = (): Problem => new Problem('INTERNAL', 'Something went wrong on our side');
