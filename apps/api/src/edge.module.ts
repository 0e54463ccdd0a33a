import { Inject, Injectable, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import {
  type HostRefusals,
  ProblemFilter,
  type RefusalReply,
  type RefusedRequest,
} from '@ledgerline/platform/http/problem.filter';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { ofrepFailure } from './flags/public/ofrep.dto';
import { RequestLimitGuard } from './http/limits.module';
import { bodyOf, problemOf } from './http/problems';
import { budgetOf, Routes, type CallerRequest } from './http/route';
import { AuthenticationGuard, AuthModule } from './identity/auth/auth.module';
import { HealthModule } from './operations/health.controller';
import { Readiness } from './operations/readiness';
import { SilentDatabaseInterceptor } from './silent-database.interceptor';
import { LOGGER, SETTINGS } from './tokens';

const MCP = '/v1/mcp';

/**
 * The refusals of the api: by their caller, also where the guards were not reached: unknown routes, unreadable bodies.
 */
@Injectable()
class ApiRefusals implements HostRefusals {
  constructor(
    private readonly authentication: AuthenticationGuard,
    private readonly limits: RequestLimitGuard,
    private readonly routes: Routes,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  problemOf(error: unknown): Problem | undefined {
    return problemOf(error);
  }

  /** The refusal of a wrong credential or an exceeded budget takes the place of `problem`. */
  async count(problem: Problem, request: RefusedRequest, reply: RefusalReply): Promise<Problem> {
    try {
      await this.countCaller(request, reply);
    } catch (error) {
      if (error instanceof Problem && error.code !== 'SERVICE_UNAVAILABLE') return error;
      if (!(error instanceof Problem || error instanceof LogUnavailable || isUnavailable(error))) throw error;
    }
    return problem;
  }

  /** Names the metadata of what was asked for: the MCP endpoint is a resource of its own. */
  challenge({ code }: Problem, { routeOptions }: RefusedRequest): string | undefined {
    const isMcp = routeOptions.url === MCP;
    if (code !== 'AUTH_REQUIRED' && !(code === 'FORBIDDEN' && isMcp)) return undefined;
    const error = code === 'FORBIDDEN' ? 'error="insufficient_scope", ' : '';
    const resource = isMcp ? MCP : '';
    return `Bearer ${error}resource_metadata="${this.settings.publicApiUrl}/.well-known/oauth-protected-resource${resource}"`;
  }

  allow(methods: readonly string[]): readonly string[] {
    return methods;
  }

  bodyOf(problem: Problem, request: RefusedRequest): object {
    return { ...bodyOf(problem, request.id), ...ofrepFailure(problem, request) };
  }

  private async countCaller(
    request: RefusedRequest & Pick<CallerRequest, 'caller'>,
    reply: RefusalReply,
  ): Promise<void> {
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

/** Provides the way in which requests are refused. */
@Module({
  imports: [AuthModule, HealthModule],
  providers: [
    {
      provide: StoreOutages,
      inject: [LOGGER, Readiness],
      useFactory: (logger: Logger, readiness: Readiness) => new StoreOutages(logger, () => readiness.hasStores()),
    },
    ApiRefusals,
    {
      provide: ProblemFilter,
      inject: [ApiRefusals, StoreOutages, LOGGER],
      useFactory: (refusals: ApiRefusals, outages: StoreOutages, logger: Logger) =>
        new ProblemFilter(refusals, outages, logger),
    },
    { provide: APP_FILTER, useExisting: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: SilentDatabaseInterceptor },
  ],
})
export class EdgeModule {}
