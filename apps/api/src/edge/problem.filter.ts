import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Rejection, REJECTIONS } from '@ledgerline/contracts/errors/rejection';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EventTooLarge } from '@ledgerline/platform/event-store/event-store';
import { frameworkProblem } from '@ledgerline/platform/http/framework-problems';
import type { RefusalReply, RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { MethodNotAllowed, statusOf } from '@ledgerline/platform/http/statuses';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { bodyOf, invalid, unavailable } from '../http/problems';
import { LOGGER, SETTINGS } from '../tokens';
import { Refusals } from './refusals';

/** Turns every failure into the one error body. The details of a bug are only logged, under the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly refusals: Refusals,
    private readonly outages: StoreOutages,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Promise<void> {
    return this.refuse(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }

  async refuse(error: unknown, request: RefusedRequest, reply: RefusalReply): Promise<void> {
    if (reply.sent) return;
    const first = problemOf(error) ?? new Problem('INTERNAL', 'Something went wrong on our side');
    this.log(first, error, request);
    const problem = await this.refusals.counted(first, request, reply).catch((err: unknown) => {
      this.logger.error({ requestId: request.id, err }, 'a refusal could not be counted');
      return first;
    });
    if (problem.code === 'AUTH_REQUIRED') reply.header('www-authenticate', this.challenge());
    if (problem instanceof MethodNotAllowed) reply.header('allow', problem.allowed.join(', '));
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
    reply.header('x-request-id', request.id);
    reply.status(statusOf(problem)).send(bodyOf(problem, request.id));
  }

  private challenge(): string {
    return `Bearer resource_metadata="${this.settings.publicApiUrl}/.well-known/oauth-protected-resource"`;
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: RefusedRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    if (code !== 'SERVICE_UNAVAILABLE' || err instanceof Problem) return;
    this.logger.debug({ requestId, route }, 'a request was refused because a store is unavailable');
    this.outages.refused(err);
  }
}

/** What a failure is to the caller; undefined for a bug. */
function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof Rejection) return problemOfRejection(error);
  if (error instanceof EventTooLarge)
    return new Problem('PAYLOAD_TOO_LARGE', 'The body is too large; the limit is 1 MiB');
  // before the database: a connection that a client breaks off carries the same code as one of ours
  const problem = frameworkProblem(error);
  if (problem) return problem;
  return error instanceof LogUnavailable || isUnavailable(error) ? unavailable() : undefined;
}

function problemOfRejection({ fact, field }: Rejection): Problem {
  const { code, message } = REJECTIONS[fact];
  return code === 'VALIDATION_ERROR' && field ? invalid([{ field, message }]) : new Problem(code, message);
}
