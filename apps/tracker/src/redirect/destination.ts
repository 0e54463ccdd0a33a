import type { Link } from '@ledgerline/contracts/records';
import { LRUCache } from 'lru-cache';

/** The target for a visitor with that operating system, in ASCII. `query` is the short URL's own query string. */
export function destinationOf(link: Link, os: string | null, query: string): string {
  const own = os === 'iOS' ? link.iosUrl : os === 'Android' ? link.androidUrl : null;
  return withCampaign(own ?? link.targetUrl, query);
}

/** The target of an expired link, in ASCII; null = none. */
export const lateDestinationOf = ({ expiredRedirectUrl }: Pick<Link, 'expiredRedirectUrl'>): string | null =>
  expiredRedirectUrl === null ? null : inAscii(expiredRedirectUrl);

/** True from the very moment the link expires. */
export const isExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** Hands the campaign of the short URL on to a target that has none of its own. */
function withCampaign(target: string, query: string): string {
  if (!query.includes('utm_') || !URL.canParse(target)) return inAscii(target);
  const url = new URL(target);
  if ([...url.searchParams.keys()].some(isCampaign)) return url.href;
  for (const [name, value] of new URLSearchParams(query)) if (isCampaign(name)) url.searchParams.append(name, value);
  return url.href;
}

const encoded = new LRUCache<string, string>({
  max: 10_000,
  memoMethod: (target) => (URL.canParse(target) ? new URL(target).href : target),
});

/** A Location header holds nothing else, and Fastify does not encode it. */
const inAscii = (target: string): string => encoded.memo(target);

const isCampaign = (name: string): boolean => name.startsWith('utm_');
