import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { FastifyRequest } from 'fastify';
import { decidedPosition, MAX_WAIT_MS } from '../http/log-position';

/**
 * Waits until the registry includes the X-Min-Position of a request, before roles and records are read from it. A
 * request is answered also when that takes too long; queries report it, and refuse a malformed header.
 */
@Injectable()
export class MinPositionGuard implements CanActivate {
  constructor(private readonly live: LiveRegistry) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const position = decidedPosition(headers['x-min-position']?.toString());
    if (position !== undefined) await this.live.hasReached(position, MAX_WAIT_MS);
    return true;
  }
}
