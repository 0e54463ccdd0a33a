import { actorOf, ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { Limits } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { ExecutionContext } from '@nestjs/common';
import { clientIdsOf } from '../http/client-id';
import { budgetOf, type BudgetName, type CallerRequest } from '../http/route';

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
