import type { Limits } from '@ledgerline/platform/config/settings';
import type { BudgetName } from '../http/route';
import { countsAddresses, perMinute } from '../limits/budgets';

/** How many requests of a route's budget a caller may make, in words. */
export function describeLimit(budget: BudgetName, limits: Limits): string {
  if (budget === 'flags') return describeFlagLimit(limits);
  const most = `${perMinute(budget, limits)} requests a minute`;
  if (countsAddresses(budget)) return `Limit: ${most} for each address, with all routes that have this limit.`;
  const anonymous = perMinute(budget, limits, true);
  const others = budget === 'query' ? `, ${anonymous} for each address without a credential` : '';
  return `Limit: ${most} for each key or person${others}; with all routes that have this limit.`;
}

const describeFlagLimit = (limits: Limits): string =>
  `${describeLimit('public', limits)} A key of the website's organization has ${perMinute('flags', limits)} for all routes of flags.`;
