import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { awaitedPosition, MAX_WAIT_MS } from '../http/log-position';
import type { CallerRequest } from '../http/route';

/**
 * Waits until the registry includes the X-Min-Position of a request, before permissions and records are read from it;
 * for callers with a credential only. A request is answered also when that takes too long; queries and lists of links
 * report it.
 */
@Injectable()
export class MinPositionGuard implements CanActivate {
  constructor(
    private readonly live: LiveRegistry,
    private readonly registry: Registry,
  ) {}

  /** @throws Problem VALIDATION_ERROR for a malformed header */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const { caller = ANONYMOUS } = request;
    if (caller.kind === 'anonymous') return true;
    const decided = awaitedPosition(request)?.decided;
    if (decided === undefined) return true;
    await this.live.hasReached(decided, MAX_WAIT_MS);
    if (caller.kind === 'user') request.caller = { ...caller, roles: this.registry.rolesOf(caller.id) };
    return true;
  }
}
