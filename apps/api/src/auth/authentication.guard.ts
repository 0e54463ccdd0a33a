import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { FastifyReply } from 'fastify';
import { isForeignChange } from '../http/origins';
import { authRequired, forbidden } from '../http/problems';
import { hasOwnCredential, type CallerRequest } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { SETTINGS } from '../tokens';
import { Authenticator } from './authenticator';

/** Puts the caller on the request; a wrong credential ends it here, on public routes too. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RequestLimitGuard,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const isOwn = this.settings.metricsToken !== undefined && hasOwnCredential(context.getClass());
    const caller = isOwn ? ANONYMOUS : await this.authenticator.callerOf(request.headers);
    if (!caller) {
      await this.limits.count('failed', request, context.switchToHttp().getResponse<FastifyReply>());
      throw authRequired();
    }
    request.caller = caller;
    if (caller.kind === 'user' && isForeignChange(request, this.settings)) throw forbidden();
    return true;
  }
}
