import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER } from '../tokens';

/** Turns every failure into the one error body. A bug is only logged, with the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOf(error);
    const about = { requestId: request.id, route: `${request.method} ${request.routeOptions.url ?? '(no route)'}` };
    if (problem.code === 'INTERNAL') this.logger.error({ ...about, err: error }, 'a request failed');
    if (problem.code === 'SERVICE_UNAVAILABLE')
      this.logger.warn({ ...about, err: error }, 'a request found no service');
    if (reply.sent) return;
    if (problem.retryAfter !== undefined) void reply.header('retry-after', problem.retryAfter);
    if (problem.code === 'AUTH_REQUIRED') void reply.header('www-authenticate', 'Bearer');
    void reply.status(STATUSES[problem.code]).send(bodyOf(problem, request.id));
  }
}

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
