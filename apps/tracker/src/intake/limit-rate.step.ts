import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Delivery } from './delivery';
import type { Tools } from './tools';

/** Counts a key's events, or a browser's requests for a website by its address. */
export function limitRate(delivery: Delivery, { limits }: Pick<Tools, 'limits'>): void {
  const { caller, items } = delivery;
  delivery.rateLimit =
    caller === null
      ? limits.take('website', `${items[0]?.website?.id ?? ''} ${delivery.address ?? ''}`, 1)
      : limits.take('key', caller.id, Math.max(items.length, 1));
  if (!delivery.rateLimit.exceeded) return;
  throw new Problem('RATE_LIMITED', 'Too many requests', undefined, delivery.rateLimit.resetSeconds);
}
