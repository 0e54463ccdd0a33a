import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { budgetOf, type CallerRequest } from '../http/route';
import { RateLimiter } from './rate-limiter';

/** Counts every request against the budget of its route and caller. */
@Injectable()
export class RequestLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const budget = budgetOf(context.getHandler(), context.getClass());
    await this.limiter.countRequest(budget, http.getRequest<CallerRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}
