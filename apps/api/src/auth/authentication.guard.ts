import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { FastifyReply } from 'fastify';
import { isForeignChange } from '../http/origins';
import { authRequired, forbidden } from '../http/problems';
import { acceptsTokens, hasOwnCredential, type CallerRequest } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { SETTINGS } from '../tokens';
import { AccessTokens, accessTokenIn } from './access-tokens';
import { Authenticator } from './authenticator';

/** Puts the caller on the request; a wrong credential ends it here, on public routes too. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RequestLimitGuard,
    private readonly tokens: AccessTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const caller = await this.callerOf(request.headers, context.getClass());
    if (!caller) {
      await this.limits.count('failed', request, context.switchToHttp().getResponse<FastifyReply>());
      throw authRequired();
    }
    request.caller = caller;
    if (caller.kind === 'user' && isForeignChange(request, this.settings)) throw forbidden();
    return true;
  }

  private async callerOf(
    headers: IncomingHttpHeaders,
    controller: ReturnType<ExecutionContext['getClass']> | null,
  ): Promise<Caller | undefined> {
    if (this.settings.metricsToken !== undefined && hasOwnCredential(controller)) return ANONYMOUS;
    const token = acceptsTokens(controller) ? accessTokenIn(headers) : undefined;
    return token === undefined ? this.authenticator.callerOf(headers) : this.tokens.callerOf(token);
  }
}
