import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER, SETTINGS } from '../tokens';
import { problemOf } from './problem-of';

/** Turns every failure into the one error body. A bug is told to the log, under the request id, and to nobody else. */
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
    else if (code === 'SERVICE_UNAVAILABLE') this.logger.warn({ requestId, route, err }, 'a request found no service');
  }
}

export const bodyOf = ({ code, message, details }: Problem, requestId: string) => ({
  success: false,
  error: message,
  code,
  requestId,
  ...(details ? { details } : {}),
});
