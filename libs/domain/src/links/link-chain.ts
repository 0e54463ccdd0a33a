import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Link } from '@ledgerline/contracts/records';
import { normalEncoding } from '../normal-forms';

/** The addresses of a link, one of which a visitor is sent to. */
export type Addresses = Pick<Link, 'slug' | 'targetUrl' | 'iosUrl' | 'androidUrl' | 'expiredRedirectUrl'>;

/** A browser gives up after twenty redirects. */
const MAX_LINKS = 10;
const SYSTEMS = ['iOS', 'Android', null];

/** Where a visitor with that operating system is sent while the link has not expired. */
export const addressFor = ({ targetUrl, iosUrl, androidUrl }: Addresses, os: string | null): string =>
  (os === 'iOS' ? iosUrl : os === 'Android' ? androidUrl : null) ?? targetUrl;

/** The slug of the short link of ours that an address is; undefined for any other address. */
export function slugIn(address: string, publicTrackUrl: string): string | undefined {
  const [url, own] = [parseUrl(address), parseUrl(publicTrackUrl)];
  if (!url || !own || hostAndPort(url) !== hostAndPort(own)) return undefined;
  const segments = (path: string) => path.split('/').filter((segment) => segment !== '');
  const [below, path] = [segments(own.pathname), segments(url.pathname)];
  const [slug, ...more] = path.slice(below.length);
  const isBelow = below.every((segment, at) => segment === path[at]);
  // encoded or not, the router reads it as the same
  return isBelow && more.length === 0 ? slug && normalEncoding(slug) : undefined;
}

const hostAndPort = ({ hostname, port }: URL): string => `${normalHost(hostname)}:${port}`;

/**
 * Whether a link leads back to itself, also over other short links, or over more of them than browsers follow. `find`
 * finds a link by its slug.
 */
export async function leadsBack(
  link: Addresses,
  publicTrackUrl: string,
  find: (slug: string) => Promise<Addresses | undefined>,
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
