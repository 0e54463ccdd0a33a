import { isIP } from 'node:net';
import { normalHost, parseUrl } from '@ledgerline/contracts/parse-url';
import type { Environment } from './environment';

/** The origins whose pages may use the api with a session; one sentence for each that is wrong. */
export function dashboardOrigins(env: Environment): readonly string[] {
  const given = env.optional('DASHBOARD_ORIGINS')?.split(',') ?? [];
  return given.map((each) => originOf(each.trim()) ?? env.wrong(problemOf(each.trim()), ''));
}

/** The origin in its usual form, without a default port and the dot of the root, and in lower case. */
function originOf(text: string): string | undefined {
  const url = parseUrl(text);
  const isOrigin = url && /^https?:\/\/[a-z0-9.:[\]-]+\/?$/i.test(text) && url.href === `${url.origin}/`;
  if (!isOrigin) return undefined;
  url.hostname = normalHost(url.hostname);
  return url.origin;
}

const problemOf = (text: string): string =>
  `DASHBOARD_ORIGINS has "${text}"; each must be a scheme, a host and at most a port, such as https://app.example.com.`;

/** The proxies whose word on a client's address is taken, and the header in which they say it. */
export interface TrustProxy {
  /** None (false), all (true), the last n hops, or these addresses, ranges and names of {@link NAMED_RANGES}. */
  readonly whom: boolean | number | readonly string[];
  /** The name of the header, in lower case. */
  readonly header: string;
}

export const NAMED_RANGES: Readonly<Partial<Record<string, readonly string[]>>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The header names that are taken: those with a hyphen, so that a misspelt word is not taken for one. */
const HEADER = /^(?:forwarded|[a-z0-9]+(?:-[a-z0-9]+)+)$/i;

/** TRUST_PROXY: whom, and at most one header, separated by commas or spaces; a header alone is taken from all. */
export function trustProxy(env: Environment): TrustProxy {
  const value = env.optional('TRUST_PROXY') ?? 'false';
  const words = value.split(/[\s,]+/).filter((word) => word !== '');
  const [header = 'x-forwarded-for', ...others] = words.filter((word) => HEADER.test(word));
  const whom = readWhom(words.filter((word) => !HEADER.test(word)));
  const isIdle = (whom === false || whom === 0) && words.length > 1;
  if (whom !== undefined && others.length === 0 && !isIdle) return { whom, header: header.toLowerCase() };
  const wanted = 'true, false, a number of hops, or a list of addresses such as 10.0.0.0/8,127.0.0.1';
  const more = 'all but false with at most one header such as X-Real-IP, CF-Connecting-IP or Forwarded';
  return env.wrong(`TRUST_PROXY is "${value}"; it must be ${wanted}, ${more}.`, { whom: false, header });
}

/** Undefined for words that name no trusted proxy. */
function readWhom(words: readonly string[]): TrustProxy['whom'] | undefined {
  const [word = 'true', ...others] = words;
  if (others.length === 0 && (word === 'true' || word === 'false')) return word === 'true';
  if (others.length === 0 && /^\d{1,2}$/.test(word)) return Number(word);
  return words.every(isAddressOrRange) ? words : undefined;
}

function isAddressOrRange(text: string): boolean {
  if (Object.hasOwn(NAMED_RANGES, text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const fits = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  return version > 0 && fits && rest.length === 0;
}
