import type { RowOf } from '@ledgerline/client';

/** An amount with its currency, if that is known. */
export function formatAmount(currency: string | null, amount: number | null): string {
  if (amount === null) return '–';
  if (currency === null) return amount.toLocaleString();
  try {
    return amount.toLocaleString(undefined, { style: 'currency', currency });
  } catch {
    return `${amount.toLocaleString()} ${currency}`; // of no currency that browsers know
  }
}

/** The sums of all currencies. */
export const formatRevenue = (revenue: RowOf<'goals'>['revenue']): string =>
  revenue.map(({ currency, sum }) => formatAmount(currency, sum)).join(', ');
