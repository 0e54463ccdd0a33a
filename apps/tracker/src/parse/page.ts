import type { Page, Referrer, Utm } from '@ledgerline/contracts/events/observed-events';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import { normalEncoding } from '@ledgerline/domain/normal-forms';
import { cleanText } from './text';

const MAX_UTM = 512;

/** A referrer before it is compared with the website's domain. */
export type Origin = Omit<Referrer, 'own'>;

/** The page a full http(s) URL or a pathname names; null when it is neither. */
export function readPage(text: string): Page | null {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const url = parseUrl(absolute ? text : `http://host.invalid${/^[/?#]/.test(text) ? '' : '/'}${text}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const query = normalEncoding(url.search.slice(1));
  return {
    host: absolute ? normalHost(url.hostname) : null,
    path: normalEncoding(withoutTrailingSlash(url.pathname)),
    query: query === '' ? null : query,
  };
}

/** Host and path of a referrer, or null for none: an empty one, `direct`, or what is no address. */
export function readReferrer(text: string | null): Origin | null {
  if (text === null) return null;
  const bare = /^[a-z0-9-]+(\.[a-z0-9-]+)+([/?#]|$)/i.test(text);
  const url = parseUrl(bare ? `http://${text}` : text);
  const host = normalHost(url?.hostname ?? '');
  if (url === null || host === '') return null;
  return { host, path: url.pathname === '' ? '/' : normalEncoding(url.pathname) };
}

/** The campaign as clients spell it. */
interface UtmFields {
  readonly utm_source?: unknown;
  readonly utm_medium?: unknown;
  readonly utm_campaign?: unknown;
  readonly utm_term?: unknown;
  readonly utm_content?: unknown;
}

/** The campaign of the fields named `utm_…`, else of the query string; null when neither has any. */
export function readUtm(fields: UtmFields, query: string | null): Utm | null {
  const params = query?.includes('utm_') ? new URLSearchParams(query) : undefined;
  const read = (name: keyof UtmFields) => cleanText(fields[name], MAX_UTM) ?? cleanText(params?.get(name), MAX_UTM);
  const utm = {
    source: read('utm_source'),
    medium: read('utm_medium'),
    campaign: read('utm_campaign'),
    term: read('utm_term'),
    content: read('utm_content'),
  };
  return (utm.source ?? utm.medium ?? utm.campaign ?? utm.term ?? utm.content) === null ? null : utm;
}

/** True when a host is a domain or lies under it. */
export const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

function withoutTrailingSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}
