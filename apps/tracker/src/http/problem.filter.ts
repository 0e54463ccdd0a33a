import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Catch, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { countedAddress } from '@ledgerline/platform/http/address';
import { frameworkProblem } from '@ledgerline/platform/http/framework-problems';
import type { RefusalReply, RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { MethodNotAllowed, statusOf } from '@ledgerline/platform/http/statuses';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { LOGGER } from '../tokens';
import { RateLimits, setRateLimitHeaders } from './rate-limits';

/** Turns every failure into the one error body. A bug is only logged, with the request id. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(StoreOutages) private readonly outages: StoreOutages,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.refuse(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }

  refuse(error: unknown, request: RefusedRequest, reply: RefusalReply): void {
    if (reply.sent) return;
    const first = problemOf(error);
    this.log(first, error, request);
    const problem = this.counted(first, request, reply);
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
    if (problem.code === 'AUTH_REQUIRED') reply.header('www-authenticate', 'Bearer');
    if (problem instanceof MethodNotAllowed) reply.header('allow', ['OPTIONS', ...problem.allowed].join(', '));
    reply.status(statusOf(problem)).send(bodyOf(problem, request.id));
  }

  /** Counts what was refused before intake could count it; an address that is refused too often is refused for that. */
  private counted(problem: Problem, { ip }: RefusedRequest, reply: RefusalReply): Problem {
    if (problem.code === 'SERVICE_UNAVAILABLE' || problem.code === 'INTERNAL') return problem;
    if (reply.hasHeader('x-ratelimit-limit')) return problem;
    const limit = this.limits.take('refused', countedAddress(ip), 1);
    setRateLimitHeaders(limit, reply);
    return limit.exceeded ? tooManyRequests(limit.resetSeconds) : problem;
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: RefusedRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    if (code !== 'SERVICE_UNAVAILABLE' || err instanceof Problem) return;
    this.logger.debug({ requestId, route }, 'a request was refused because a store is unavailable');
    this.outages.refused(err);
  }
}

const RETRY_SECONDS = 2;

export const tooManyRequests = (resetSeconds: number): Problem =>
  new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);

/** The problem that a client gets for a failure; that of a bug is INTERNAL, without details. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof LogUnavailable)
    return new Problem('SERVICE_UNAVAILABLE', 'Nothing was accepted; please try again', undefined, RETRY_SECONDS);
  if (error instanceof HitTooLarge) return new Problem('PAYLOAD_TOO_LARGE', 'An event is too large');
  return frameworkProblem(error) ?? new Problem('INTERNAL', 'Something went wrong on our side');
}

/** The body of every error on this host. */
const bodyOf = ({ code, message, details }: Problem, requestId: string) => ({
  success: false,
  status: 'error',
  error: message,
  message,
  code,
  requestId,
  ...(details ? { errors: details } : {}),
});
