import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { FastifyReply } from 'fastify';
import type { BudgetName, CallerRequest } from '../http/route';
import { SETTINGS } from '../tokens';
import { allowanceFor, MINUTE_MS, type Allowance } from './budgets';
import { RequestCounts } from './request-counts';

/** Counts requests, and sets the rate limit headers on every response, refusals included. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly counts: RequestCounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Problem RATE_LIMITED when nothing is left of the budget */
  countRequest(budget: BudgetName, request: CallerRequest, reply: FastifyReply): Promise<void> {
    const ip = countedAddress(request.ip);
    return this.take(allowanceFor(budget, request.caller, ip, this.settings.limits), reply);
  }

  /** Counts wrong credentials per address. @throws Problem RATE_LIMITED after too many of them */
  countFailedAuthentication(request: CallerRequest, reply: FastifyReply): Promise<void> {
    const max = this.settings.limits.failedAuthPerMinute;
    return this.take({ key: `failed:ip:${countedAddress(request.ip)}`, max, windowMs: MINUTE_MS }, reply);
  }

  private async take({ key, max, windowMs }: Allowance, reply: FastifyReply): Promise<void> {
    const { hits, leftMs } = await this.counts.increment(key, windowMs);
    const resetSeconds = Math.max(1, Math.ceil(leftMs / 1_000));
    void reply.headers({
      'x-ratelimit-limit': String(max),
      'x-ratelimit-remaining': String(Math.max(0, max - hits)),
      'x-ratelimit-reset': String(resetSeconds),
    });
    if (hits > max) throw new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
  }
}
