import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { RefusalReply, RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { MethodNotAllowed, statusOf } from '@ledgerline/platform/http/statuses';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { ofrepFailure } from '../flags/public/ofrep-failure';
import { problemOf } from '../http/problem-of';
import { bodyOf } from '../http/problems';
import { LOGGER, SETTINGS } from '../tokens';
import { Refusals } from './refusals';

const MCP = '/v1/mcp';

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
    if (problem.code === 'AUTH_REQUIRED') reply.header('www-authenticate', this.challenge(request));
    if (problem instanceof MethodNotAllowed) reply.header('allow', problem.allowed.join(', '));
    if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter));
    reply.header('x-request-id', request.id);
    reply.status(statusOf(problem)).send({ ...bodyOf(problem, request.id), ...ofrepFailure(problem, request) });
  }

  /** Names the metadata of what was asked for: the MCP endpoint is a resource of its own. */
  private challenge({ routeOptions }: RefusedRequest): string {
    const resource = routeOptions.url === MCP ? MCP : '';
    return `Bearer resource_metadata="${this.settings.publicApiUrl}/.well-known/oauth-protected-resource${resource}"`;
  }

  private log({ code }: Problem, err: unknown, { id: requestId, method, routeOptions }: RefusedRequest): void {
    const route = `${method} ${routeOptions.url ?? '(no route)'}`;
    if (code === 'INTERNAL') this.logger.error({ requestId, route, err }, 'a request failed');
    if (code !== 'SERVICE_UNAVAILABLE' || err instanceof Problem) return;
    this.logger.debug({ requestId, route }, 'a request was refused because a store is unavailable');
    this.outages.refused(err);
  }
}
