import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '../logging/logger';
import type { StoreOutages } from '../logging/outage-log';
import { internalProblem } from './framework-problems';
import type { RefusalReply, RefusedRequest } from './raw-reply';
import { MethodNotAllowed, statusOf } from './statuses';

/** How one host refuses requests. */
export interface HostRefusals {
  /** What a failure is to the client; undefined for a bug. */
  problemOf(error: unknown): Problem | undefined;
  /** Counts a refusal; answers the one that takes its place when a budget is exceeded by it. */
  count(problem: Problem, request: RefusedRequest, reply: RefusalReply): Problem | Promise<Problem>;
  /** `WWW-Authenticate` where a credential is missing or wrong, or does not suffice. */
  challenge(problem: Problem, request: RefusedRequest): string | undefined;
  /** `Allow` of a path with these methods. */
  allow(methods: readonly string[]): readonly string[];
  bodyOf(problem: Problem, request: RefusedRequest): object;
}

/** Turns every failure into the host's error body. The details of a bug are only logged, under the request id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly host: HostRefusals,
    private readonly outages: StoreOutages,
    private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): Promise<void> {
    return this.refuse(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }

  async refuse(error: unknown, request: RefusedRequest, reply: RefusalReply): Promise<void> {
    if (reply.sent) return;
    const first = this.host.problemOf(error) ?? internalProblem();
    this.log(first, error, request);
    const problem = await this.counted(first, request, reply);
    const challenge = this.host.challenge(problem, request);
    if (challenge !== undefined) reply.header('www-authenticate', challenge);
    if (problem instanceof MethodNotAllowed) reply.header('allow', this.host.allow(problem.allowed).join(', '));
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
    reply.header('x-request-id', request.id);
    reply.status(statusOf(problem)).send(this.host.bodyOf(problem, request));
  }

  /** What was refused before the route could count it is counted here. */
  private async counted(problem: Problem, request: RefusedRequest, reply: RefusalReply): Promise<Problem> {
    if (statusOf(problem) >= 500) return problem;
    if (reply.hasHeader('x-ratelimit-limit')) return problem;
    try {
      return await this.host.count(problem, request, reply);
    } catch (err) {
      this.logger.error({ requestId: request.id, err }, 'a refusal could not be counted');
      return problem;
    }
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: RefusedRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    if (code !== 'SERVICE_UNAVAILABLE' || err instanceof Problem) return;
    this.logger.debug({ requestId, route }, 'a request was refused because a store is unavailable');
    this.outages.refused(err);
  }
}
