import { parseUrl, normalHost } from '@ledgerline/contracts/parse-url';
import type { Link } from '@ledgerline/contracts/records';
import { normalEncoding } from '../normal-forms';

/** In the characters that are sent: those beyond ASCII are several each. */
export const MAX_ADDRESS_LENGTH = 2048;
export const MAX_TARGET_LENGTH = 8192;

/** True for an absolute http(s) address without user name or password, white space or broken characters. */
export const isWebAddress = (text: string, maxLength?: number): boolean =>
  wrongInAddress(text, maxLength) === undefined;

/** Returns what an address must be or must not hold; undefined for one that is right. */
export function wrongInAddress(text: string, maxLength = MAX_ADDRESS_LENGTH): string | undefined {
  const tooLong = `must have at most ${maxLength} characters, percent-encoded`;
  if (text.length > maxLength) return tooLong;
  if (!/^https?:\/\//i.test(text)) return NO_ADDRESS;
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return 'must not hold white space, control characters or halves of characters';
  const url = parseUrl(text);
  if (url === null || url.hostname === '') return NO_ADDRESS;
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.port === '0') return 'must not have port 0';
  return url.href.length > maxLength ? tooLong : undefined;
}

export const NO_ADDRESS = 'must be an http(s) address';

/** As people paste it: white space around it is cut off, and inside percent-encoded. */
export const pastedAddress = (text: string): string => text.trim().replace(/\s/g, encodeURIComponent);

/** First segments of the tracking host's own routes, and names crawlers and browsers ask for. */
const RESERVED: ReadonlySet<string> = new Set([
  'track',
  'batch',
  'identify',
  'vitals',
  'errors',
  'engagement',
  'health',
  'metrics',
  'px.jpg',
  'robots.txt',
  'favicon.ico',
  'sitemap.xml',
  'apple-touch-icon.png',
  '.well-known',
]);

/** True for a name that is never a short link, in any case. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());

/** 1–50 of `[A-Za-z0-9_-]`, reserved or not. */
export const isSlug = (text: string): boolean => /^[A-Za-z0-9_-]{1,50}$/.test(text);

/** The addresses of a link, one of which a visitor is sent to. */
export type LinkAddressFields = Pick<Link, 'slug' | 'targetUrl' | 'iosUrl' | 'androidUrl' | 'expiredRedirectUrl'>;

/** A browser gives up after twenty redirects. */
const MAX_LINKS = 10;
const SYSTEMS = ['iOS', 'Android', null];

/** Where a visitor with that operating system is sent while the link has not expired. */
export const addressFor = ({ targetUrl, iosUrl, androidUrl }: LinkAddressFields, os: string | null): string =>
  (os === 'iOS' ? iosUrl : os === 'Android' ? androidUrl : null) ?? targetUrl;

/** The slug of the short link of ours that an address is; undefined for any other address. */
export function slugIn(address: string, publicTrackUrl: string): string | undefined {
  const url = parseUrl(address);
  const own = parseUrl(publicTrackUrl);
  if (!url || !own || hostAndPort(url) !== hostAndPort(own)) return undefined;
  const segments = (path: string) => path.split('/').filter((segment) => segment !== '');
  const below = segments(own.pathname);
  const path = segments(url.pathname);
  const [slug, ...more] = path.slice(below.length);
  const isBelow = below.every((segment, at) => segment === path[at]);
  // encoded or not, the router reads it as the same
  return isBelow && more.length === 0 ? slug && normalEncoding(slug) : undefined;
}

const hostAndPort = ({ hostname, port }: URL): string => `${normalHost(hostname)}:${port}`;

/**
 * Returns whether a link leads back to itself, also over other short links, or over more of them than browsers follow.
 * `find` finds a link by its slug.
 */
export async function leadsBack(
  link: LinkAddressFields,
  publicTrackUrl: string,
  find: (slug: string) => Promise<LinkAddressFields | undefined>,
): Promise<boolean> {
  const follow = async (address: string | null, os: string | null): Promise<boolean> => {
    let next = address === null ? undefined : slugIn(address, publicTrackUrl);
    for (let passed = 0; next !== undefined; passed++) {
      if (next === link.slug || passed === MAX_LINKS) return true;
      const found = await find(next);
      next = found && slugIn(addressFor(found, os), publicTrackUrl);
    }
    return false;
  };
  for (const os of SYSTEMS)
    if ((await follow(addressFor(link, os), os)) || (await follow(link.expiredRedirectUrl, os))) return true;
  return false;
}
