import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import type { Limits } from '@ledgerline/platform/config/settings';

/** What a request is counted against. A route states it with `@Budget(…)`; without, it is `api`, or `public`. */
export type BudgetName = 'query' | 'api' | 'public' | 'accounts' | 'export';

export const BUDGET = 'ledgerline:budget';
export const Budget = (name: BudgetName): CustomDecorator => SetMetadata(BUDGET, name);

export interface Allowance {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** One budget per principal across routes; a key that carries its own limit has that one for everything. */
export function allowanceFor(budget: BudgetName, caller: Caller = ANONYMOUS, ip: string, limits: Limits): Allowance {
  if (caller.kind === 'key' && caller.rateLimit) {
    const { max, windowSeconds } = caller.rateLimit;
    return { key: `own:${caller.id}`, max, windowMs: windowSeconds * 1_000 };
  }
  const perIp = caller.kind === 'anonymous' || budget === 'public' || budget === 'accounts';
  const principal = perIp ? `ip:${ip}` : caller.id;
  return { key: `${budget}:${principal}`, max: perMinute(budget, caller, limits), windowMs: MINUTE_MS };
}

function perMinute(budget: BudgetName, { kind }: Caller, limits: Limits): number {
  switch (budget) {
    case 'query':
      return kind === 'anonymous' ? limits.queryAnonymousPerMinute : limits.queryPerMinute;
    case 'api':
      return limits.apiPerMinute;
    case 'public':
      return limits.publicPerMinute;
    case 'accounts':
      return limits.failedAuthPerMinute;
    case 'export':
      return limits.auditExportPerMinute;
  }
}
