import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { actorOf, ANONYMOUS } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Limits, Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import { Inject, Injectable, Module, type ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import {
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import { budgetOf, clientIdsOf, type BudgetName, type CallerRequest } from '../http/route';
import { SETTINGS } from '../tokens';
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

interface Allowance {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** Wrong credentials have a budget of their own, which no route states. */
export type AnyBudget = BudgetName | 'failed';

const MINUTE_MS = 60_000;

/**
 * One budget per principal across routes, a person and their clients together; a key that carries its own limit has that
 * one for everything.
 */
export function allowanceFor(budget: AnyBudget, { caller = ANONYMOUS, ip }: Principal, limits: Limits): Allowance {
  if (caller.kind === 'key' && caller.rateLimit) {
    const { max, windowSeconds } = caller.rateLimit;
    return { key: `own:${caller.id}`, max, windowMs: windowSeconds * 1_000 };
  }
  const isAnonymous = caller.kind === 'anonymous';
  const perIp = isAnonymous || countsAddresses(budget);
  const max = perMinute(budget, limits, isAnonymous);
  return { key: `${budget}:${perIp ? `ip:${countedAddress(ip)}` : actorOf(caller).id}`, max, windowMs: MINUTE_MS };
}

export const countsAddresses = (budget: AnyBudget): boolean => ['public', 'probes', 'accounts'].includes(budget);

export const perMinute = (budget: AnyBudget, limits: Limits, isAnonymous = false): number =>
  limits[isAnonymous && budget === 'query' ? 'queryAnonymousPerMinute' : PER_MINUTE[budget]];

type Principal = Pick<CallerRequest, 'caller' | 'ip'>;

/** The allowance that a request is counted against: that of its route, or the one it was marked with. */
export function allowanceOf(context: ExecutionContext, limits: Limits, registry: Registry): Allowance {
  const request = context.switchToHttp().getRequest<CallerRequest & { budget?: AnyBudget }>();
  const budget = request.budget ?? budgetOf(context.getHandler(), context.getClass());
  const isOpen = budget === 'flags' && !isFromOwnServer(request, registry);
  return allowanceFor(isOpen ? 'public' : budget, request, limits);
}

/** Whether flags are evaluated with a key of the organization of the website, for whichever of its users. */
function isFromOwnServer(request: CallerRequest, registry: Registry): boolean {
  const { caller } = request;
  if (caller?.kind !== 'key') return false;
  const ids = clientIdsOf(request);
  const isOwn = (id: unknown) =>
    typeof id === 'string' && registry.website(id)?.organizationId === caller.organizationId;
  return ids.length > 0 && ids.every(isOwn);
}

const PER_MINUTE = {
  query: 'queryPerMinute',
  api: 'apiPerMinute',
  public: 'publicPerMinute',
  probes: 'publicPerMinute',
  flags: 'flagsPerKeyPerMinute',
  accounts: 'failedAuthPerMinute',
  failed: 'failedAuthPerMinute',
  export: 'auditExportPerMinute',
} as const satisfies Readonly<Record<AnyBudget, keyof Limits>>;

@Module({ providers: [RequestCounts], exports: [RequestCounts] })
class CountsModule {}

/** How many requests each caller may make. */
@Module({
  imports: [
    CountsModule,
    ThrottlerModule.forRootAsync({
      imports: [CountsModule],
      inject: [RequestCounts, SETTINGS, Registry],
      useFactory: (storage: RequestCounts, { limits }: Settings, registry: Registry): ThrottlerModuleOptions => ({
        storage,
        throttlers: [
          {
            limit: (context) => allowanceOf(context, limits, registry).max,
            ttl: (context) => allowanceOf(context, limits, registry).windowMs,
            getTracker: (_, context) => allowanceOf(context, limits, registry).key,
            generateKey: (_, tracker) => tracker,
          },
        ],
      }),
    }),
  ],
  providers: [RequestLimitGuard],
  exports: [CountsModule, RequestLimitGuard],
})
export class LimitsModule {}
