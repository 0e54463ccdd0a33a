import type { Link } from '@ledgerline/contracts/records';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { addressFor } from '@ledgerline/domain/links/link-chain';

/** The target for a visitor with that operating system, in ASCII. `query` is the short URL's own query string. */
export function destinationOf(link: Link, os: string | null, query: string): string {
  const target = addressFor(link, os);
  return (link.forwardQuery ?? true) ? withQuery(target, query) : inAscii(target);
}

/** The target of an expired link, in ASCII; null = none. */
export const lateDestinationOf = ({ expiredRedirectUrl }: Pick<Link, 'expiredRedirectUrl'>): string | null =>
  expiredRedirectUrl === null ? null : inAscii(expiredRedirectUrl);

/** True from the very moment the link expires. */
export const isExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;

/** Appends the parameters of the short URL, as they were sent, but for those that the target has itself. */
function withQuery(target: string, query: string): string {
  const url = query === '' ? null : parseUrl(target);
  if (url === null) return inAscii(target);
  const passed = query.split('&').filter((part) => part !== '' && !url.searchParams.has(nameIn(part)));
  if (passed.length === 0) return url.href;
  const separator = url.search === '' || url.search.endsWith('&') ? '' : '&';
  // not by `searchParams`, which writes the whole query anew
  url.search += `${separator}${passed.join('&')}`;
  return url.href;
}

const nameIn = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? '';

/** A Location header holds nothing else, and Fastify does not encode it. */
const inAscii = (target: string): string => parseUrl(target)?.href ?? target;
