import type { Link } from '@ledgerline/contracts/records';
import { parseUrl } from '@ledgerline/contracts/parse-url';

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

/** Hands the campaign of the short URL on to a target that has none of its own, whose own query stays as it is. */
function withCampaign(target: string, query: string): string {
  const url = query.includes('utm_') ? parseUrl(target) : null;
  if (url === null) return inAscii(target);
  const campaign = [...new URLSearchParams(query)].filter(([name]) => isCampaign(name));
  if (campaign.length === 0 || [...url.searchParams.keys()].some(isCampaign)) return url.href;
  const separator = url.search === '' || url.search.endsWith('&') ? '' : '&';
  // not by `searchParams`, which writes the whole query anew
  url.search += `${separator}${new URLSearchParams(campaign).toString()}`;
  return url.href;
}

/** A Location header holds nothing else, and Fastify does not encode it. */
const inAscii = (target: string): string => parseUrl(target)?.href ?? target;

const isCampaign = (name: string): boolean => name.startsWith('utm_');
