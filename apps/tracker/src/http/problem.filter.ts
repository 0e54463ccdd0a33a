import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LOGGER } from '../tokens';
import { bodyOf, problemOf } from './problems';

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
