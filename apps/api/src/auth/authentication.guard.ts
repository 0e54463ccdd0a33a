import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { FastifyReply } from 'fastify';
import { authRequired, forbidden } from '../http/problems';
import type { CallerRequest } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { SETTINGS } from '../tokens';
import { Authenticator } from './authenticator';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Puts the caller on the request; a wrong credential ends it here, on public routes too. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly ownOrigin: string;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RequestLimitGuard,
    @Inject(SETTINGS) { publicApiUrl }: Settings,
  ) {
    this.ownOrigin = new URL(publicApiUrl).origin;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const caller = await this.authenticator.callerOf(request.headers);
    if (!caller) {
      await this.limits.count('failed', request, context.switchToHttp().getResponse<FastifyReply>());
      throw authRequired();
    }
    request.caller = caller;
    if (caller.kind === 'user' && this.isForged(request)) throw forbidden();
    return true;
  }

  /** Browsers send the session cookie by themselves: a change must come from our own pages, or from no page at all. */
  private isForged({ method, headers }: CallerRequest): boolean {
    return !SAFE_METHODS.includes(method) && headers.origin !== undefined && headers.origin !== this.ownOrigin;
  }
}
