import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import type { Limits } from '@ledgerline/platform/config/settings';
import type { BudgetName } from '../http/route';

export interface Allowance {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

export const MINUTE_MS = 60_000;

/** One budget per principal across routes; a key that carries its own limit has that one for everything. */
export function allowanceFor(budget: BudgetName, caller: Caller = ANONYMOUS, ip: string, limits: Limits): Allowance {
  if (caller.kind === 'key' && caller.rateLimit) {
    const { max, windowSeconds } = caller.rateLimit;
    return { key: `own:${caller.id}`, max, windowMs: windowSeconds * 1_000 };
  }
  const isAnonymous = caller.kind === 'anonymous';
  const perIp = isAnonymous || budget === 'public' || budget === 'accounts';
  const max = limits[isAnonymous && budget === 'query' ? 'queryAnonymousPerMinute' : PER_MINUTE[budget]];
  return { key: `${budget}:${perIp ? `ip:${ip}` : caller.id}`, max, windowMs: MINUTE_MS };
}

const PER_MINUTE = {
  query: 'queryPerMinute',
  api: 'apiPerMinute',
  public: 'publicPerMinute',
  accounts: 'failedAuthPerMinute',
  export: 'auditExportPerMinute',
} as const satisfies Readonly<Record<BudgetName, keyof Limits>>;
