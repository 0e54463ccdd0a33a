import { types } from 'node:util';
import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { Rejection, REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EventTooLarge } from '@ledgerline/platform/event-store/event-store';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER, SETTINGS } from '../tokens';
import { bodyOf, invalid, unavailable } from './problems';

/** Turns every failure into the one error body. The details of a bug are only logged, under the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOf(error) ?? new Problem('INTERNAL', 'Something went wrong on our side');
    this.log(problem, error, request);
    if (reply.sent) return;
    if (problem.code === 'AUTH_REQUIRED') void reply.header('www-authenticate', this.challenge());
    if (problem.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter));
    void reply.header('x-request-id', request.id).status(STATUSES[problem.code]).send(bodyOf(problem, request.id));
  }

  private challenge(): string {
    return `Bearer resource_metadata="${this.settings.publicApiUrl}/.well-known/oauth-protected-resource"`;
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: FastifyRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    else if (code === 'SERVICE_UNAVAILABLE')
      this.logger.warn({ requestId, route, err }, 'a request failed because a store is unavailable');
  }
}

/** What a failure is to the caller; undefined for a bug. */
function problemOf(error: unknown): Problem | undefined {
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
