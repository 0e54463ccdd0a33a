import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { AnyBudget } from './budgets';

/** Counts every request against the budget of its route and caller, and sets the rate limit headers. */
@Injectable()
export class RequestLimitGuard extends ThrottlerGuard {
  /** Counts a request that no route takes. @throws Problem RATE_LIMITED when nothing is left of the budget */
  async count(budget: AnyBudget, request: object, reply: object): Promise<void> {
    const marked = Object.create(request, { budget: { value: budget } }) as object;
    await this.canActivate(new ExecutionContextHost([marked, reply], RequestLimitGuard, this.canActivate.bind(this)));
  }

  /** The library sets the headers on what it lets through only. */
  protected override throwThrottlingException(context: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    const reply = context.switchToHttp().getResponse<Record<string, unknown>>();
    this.setResponseHeader(reply, `${this.headerPrefix}-Limit`, detail.limit);
    this.setResponseHeader(reply, `${this.headerPrefix}-Remaining`, 0);
    this.setResponseHeader(reply, `${this.headerPrefix}-Reset`, detail.timeToExpire);
    throw new Problem('RATE_LIMITED', 'Too many requests', undefined, detail.timeToBlockExpire);
  }
}
