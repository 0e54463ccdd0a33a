import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { RateLimit } from '../http/rate-limits';
import type { Delivery } from './delivery';
import type { Tools } from './tools';

/** Counts a key's events, or a browser's requests for each website by its address. */
export function limitRate(delivery: Delivery, { limits }: Pick<Tools, 'limits'>): void {
  const { caller, items } = delivery;
  const taken =
    caller === null ? takeOfBrowser(delivery, limits) : [limits.take('key', caller.id, Math.max(items.length, 1))];
  delivery.rateLimit = taken.reduce(tighter);
  refuseExceeded(delivery.rateLimit);
}

/** A request with nothing that is any website's, or with an unknown one among them, counts as a refused one too. */
function takeOfBrowser(delivery: Delivery, limits: Tools['limits']): readonly RateLimit[] {
  const address = addressOf(delivery);
  const ids = new Set(delivery.items.map(({ website }) => website?.id ?? ''));
  const taken = [...ids].map((id) => limits.take('website', `${id} ${address}`, 1));
  const isRefused = ids.size === 0 || namesUnknownWebsites(delivery);
  return isRefused ? [...taken, limits.take('refused', address, 1)] : taken;
}

/** Refuses an address at once that has only been wrong of late: its next guess is not even looked up. */
export function limitRefused(delivery: Delivery, { limits }: Pick<Tools, 'limits'>): void {
  const limit = limits.look('refused', addressOf(delivery));
  if (limit.exceeded) delivery.rateLimit = limit;
  refuseExceeded(limit);
}

/** Counts a request that was refused before any other budget could count it. */
export function countRefused(delivery: Delivery, error: unknown, { limits }: Pick<Tools, 'limits'>): void {
  if (delivery.rateLimit !== null || !(error instanceof Problem) || error.code === 'SERVICE_UNAVAILABLE') return;
  delivery.rateLimit = limits.take('refused', addressOf(delivery), 1);
}

const addressOf = ({ address }: Delivery): string => countedAddress(address ?? '');

const namesUnknownWebsites = ({ refused }: Delivery): boolean =>
  refused.some(({ errors }) => errors.some(({ field }) => field === 'websiteId'));

const tighter = (a: RateLimit, b: RateLimit): RateLimit => {
  if (a.exceeded !== b.exceeded) return a.exceeded ? a : b;
  return a.remaining <= b.remaining ? a : b;
};

function refuseExceeded({ exceeded, resetSeconds }: RateLimit): void {
  if (exceeded) throw new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
}
