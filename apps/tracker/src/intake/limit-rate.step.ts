import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { countedAddress } from '@ledgerline/platform/http/address';
import type { RateLimit } from '../http/rate-limits';
import type { IntakeContext, IntakeDeps } from './intake-context';

/** Counts a key's events (its requests, if it has its own limit), or a browser's requests for each website by its address. */
export function limitRate(context: IntakeContext, { limits }: Pick<IntakeDeps, 'limits'>): void {
  const { caller } = context;
  const taken = caller === null ? takeOfBrowser(context, limits) : [takeOfKey(caller, context, limits)];
  context.rateLimit = taken.reduce(tighter);
  refuseExceeded(context.rateLimit);
}

const takeOfKey = ({ id, rateLimit }: KeyCaller, { items }: IntakeContext, limits: IntakeDeps['limits']): RateLimit =>
  rateLimit ? limits.takeOwn(id, rateLimit) : limits.take('key', id, Math.max(items.length, 1));

/** A request with nothing that is any website's, or with an unknown one among them, counts as a refused one too. */
function takeOfBrowser(context: IntakeContext, limits: IntakeDeps['limits']): readonly RateLimit[] {
  const address = addressOf(context);
  const ids = new Set(context.items.map(({ website }) => website?.id ?? ''));
  const taken = [...ids].map((id) => limits.take('website', `${id} ${address}`, 1));
  const isRefused = ids.size === 0 || namesUnknownWebsites(context);
  return isRefused ? [...taken, limits.take('refused', address, 1)] : taken;
}

/** Rejects an address without a lookup after too many rejected requests. */
export function limitRefused(context: IntakeContext, { limits }: Pick<IntakeDeps, 'limits'>): void {
  const limit = limits.look('refused', addressOf(context));
  if (limit.exceeded) context.rateLimit = limit;
  refuseExceeded(limit);
}

/** Counts a request that was refused before any other budget could count it. */
export function countRefused(context: IntakeContext, error: unknown, { limits }: Pick<IntakeDeps, 'limits'>): void {
  if (context.rateLimit !== null || !(error instanceof Problem) || error.code === 'SERVICE_UNAVAILABLE') return;
  context.rateLimit = limits.take('refused', addressOf(context), 1);
}

const addressOf = ({ address }: IntakeContext): string => countedAddress(address ?? '');

const namesUnknownWebsites = ({ refused }: IntakeContext): boolean =>
  refused.some(({ errors }) => errors.some(({ field }) => field === 'websiteId'));

const tighter = (a: RateLimit, b: RateLimit): RateLimit => {
  if (a.exceeded !== b.exceeded) return a.exceeded ? a : b;
  return a.remaining <= b.remaining ? a : b;
};

function refuseExceeded({ exceeded, resetSeconds }: RateLimit): void {
  if (exceeded) throw new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
}
