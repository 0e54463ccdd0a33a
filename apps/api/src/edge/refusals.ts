import { Injectable } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { RefusalReply, RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { AuthenticationGuard } from '../auth/authentication.guard';
import { budgetOf, type CallerRequest } from '../http/route';
import { Routes } from '../http/routes';
import { RequestLimitGuard } from '../limits/request-limit.guard';

/** Counts requests that were refused before the guards: unknown routes, other methods, bodies that cannot be read. */
@Injectable()
export class Refusals {
  constructor(
    private readonly authentication: AuthenticationGuard,
    private readonly limits: RequestLimitGuard,
    private readonly routes: Routes,
  ) {}

  /** The refusal of a wrong credential or an exceeded budget, which then takes the place of `problem`. */
  async counted(problem: Problem, request: RefusedRequest, reply: RefusalReply): Promise<Problem> {
    if (problem.code === 'SERVICE_UNAVAILABLE' || problem.code === 'INTERNAL') return problem;
    if (reply.hasHeader('x-ratelimit-limit')) return problem;
    try {
      await this.count(request, reply);
    } catch (error) {
      if (error instanceof Problem && error.code !== 'SERVICE_UNAVAILABLE') return error;
      if (!(error instanceof Problem || error instanceof LogUnavailable || isUnavailable(error))) throw error;
    }
    return problem;
  }

  private async count(request: RefusedRequest & Pick<CallerRequest, 'caller'>, reply: RefusalReply): Promise<void> {
    const target = this.routes.find(request.method, request.routeOptions.url);
    const context = new ExecutionContextHost([request, reply], target?.controller, target?.method);
    // a caller may be refused too, for its origin, and is counted all the same
    const refused =
      request.caller === undefined
        ? await this.authentication.canActivate(context).catch((error: unknown) => error)
        : undefined;
    if (request.caller !== undefined)
      await this.limits.count(target ? budgetOf(target.method, target.controller) : 'api', request, reply);
    if (refused instanceof Error) throw refused;
  }
}
