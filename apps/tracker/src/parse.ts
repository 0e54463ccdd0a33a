import type { PageAddress, PageViewed, Referrer, Utm } from '@ledgerline/contracts/events/observed-events';
import { MAX_UTM } from '@ledgerline/contracts/intake-limits';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import { takeClick } from '@ledgerline/domain/links/click-id';
import { normalEncoding, normalPath, normalText } from '@ledgerline/domain/normal-forms';

const UNWANTED = /[\p{Cc}\p{Cs}]/u; // with the u flag only lone surrogates are Cs
const ALL_UNWANTED = new RegExp(UNWANTED, 'gu');
const UNWANTED_IN_LINES = /[^\P{Cc}\n\t]|\p{Cs}/u;
const ALL_UNWANTED_IN_LINES = new RegExp(UNWANTED_IN_LINES, 'gu');

/**
 * Trimmed, in Unicode NFC, without control characters and lone surrogates, at most `max` UTF-16 units; null when nothing is
 * left.
 */
export const cleanText = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(normalText(cleaned(value)), max)) : null;

/** Cleans an id, which is compared byte by byte. */
export const cleanId = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(cleaned(value), max)) : null;

const cleaned = (value: string) => (UNWANTED.test(value) ? value.replace(ALL_UNWANTED, '') : value).trim();

/** Cleans a text of several lines, whose line feeds and tabs stay. */
export const cleanLines = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? nullIfEmpty(cut(withoutControls(value).trim(), max)) : null;

/** Text in NFC without control characters (but line feeds and tabs) and lone surrogates, otherwise as it is. */
export const withoutControls = (text: string): string =>
  normalText(UNWANTED_IN_LINES.test(text) ? text.replace(ALL_UNWANTED_IN_LINES, '') : text);

/** Never between the two halves of a character. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max).trimEnd();
}

const nullIfEmpty = (text: string): string | null => (text === '' ? null : text);

/** A referrer before it is compared with the website's domain. */
export type ExternalReferrer = Omit<Referrer, 'own'>;

/** The page a full http(s) URL or a pathname names; null when it is neither. */
export function parsePage(text: string): PageAddress | null {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const url = parseUrl(absolute ? text : `http://host.invalid${/^[/?#]/.test(text) ? '' : '/'}${text}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const query = normalEncoding(url.search.slice(1));
  return {
    host: absolute ? normalHost(url.hostname) : null,
    path: normalPath(url.pathname),
    query: query === '' ? null : query,
  };
}

/** The page that an address names, as much of it as is kept, and the click on a short link that led there. */
export function readVisited(value: unknown, max: number): Visited | null {
  const { address, click } = takeClick(typeof value === 'string' ? value : '');
  const page = parsePage(cleanText(address, max) ?? '/');
  return page && click ? Object.assign(page, { click }) : page;
}

export type Visited = PageAddress & Pick<PageViewed['data'], 'click'>;

/** Host and path of a referrer, or null for none: an empty one, `direct`, or what is no address. */
export function readReferrer(text: string | null): ExternalReferrer | null {
  if (text === null) return null;
  const bare = /^[a-z0-9-]+(\.[a-z0-9-]+)+([/?#]|$)/i.test(text);
  const url = parseUrl(bare ? `http://${text}` : text);
  const host = normalHost(url?.hostname ?? '');
  if (url === null || host === '') return null;
  return { host, path: url.pathname === '' ? '/' : normalEncoding(url.pathname) };
}

/** The campaign in fields named `utm_…`, which are clean. */
type UtmFields = { readonly [Name in `utm_${keyof Utm}`]?: string | null };

/** The campaign of the fields, else of the query string; null when neither has any. */
export function readUtm(fields: UtmFields, query: string | null): Utm | null {
  const params = query?.includes('utm_') ? new URLSearchParams(query) : undefined;
  const read = (name: keyof UtmFields) => fields[name] ?? cleanText(params?.get(name), MAX_UTM);
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
