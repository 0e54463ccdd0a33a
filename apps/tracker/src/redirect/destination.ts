import type { Link } from '@ledgerline/domain/directory/directory';

/** Where somebody with that operating system is sent. `query` is the short URL's own query string. */
export function destinationOf(link: Link, os: string | null, query: string): string {
  const own = os === 'iOS' ? link.iosUrl : os === 'Android' ? link.androidUrl : null;
  return withCampaign(own ?? link.targetUrl, query);
}

/** True from the very moment the link expires. */
export const isExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** Hands the campaign of the short URL on to a target that has none of its own. */
function withCampaign(target: string, query: string): string {
  if (!query.includes('utm_') || !URL.canParse(target)) return target;
  const url = new URL(target);
  if ([...url.searchParams.keys()].some(isCampaign)) return target;
  for (const [name, value] of new URLSearchParams(query)) if (isCampaign(name)) url.searchParams.append(name, value);
  return url.href;
}

const isCampaign = (name: string): boolean => name.startsWith('utm_');
