import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { CallerRequest } from '../http/route';
import { SETTINGS } from '../tokens';
import { allowanceFor, type AnyBudget } from './budgets';
import { RequestCounts } from './request-counts';

/** Counts every request against the budget of its route and caller, and sets the rate limit headers. */
@Injectable()
export class RequestLimitGuard extends ThrottlerGuard {
  @Inject() private readonly counts!: RequestCounts;
  @Inject(SETTINGS) private readonly settings!: Pick<Settings, 'limits'>;

  /** Counts a request that no route takes. @throws Problem RATE_LIMITED when nothing is left of the budget */
  async count(budget: AnyBudget, request: object, reply: object): Promise<void> {
    const marked = Object.create(request, { budget: { value: budget } }) as object;
    await this.canActivate(new ExecutionContextHost([marked, reply], RequestLimitGuard, this.canActivate.bind(this)));
  }

  /** Takes a sign-in that succeeded out of the budget of those that fail: an office shares an address. */
  async giveBack({ ip }: Pick<CallerRequest, 'ip'>): Promise<void> {
    await this.counts.decrement(allowanceFor('accounts', { ip }, this.settings.limits).key);
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
