import type { Page } from '@ledgerline/contracts/events/observed-events';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { EARLIEST_TIME, MAX_AHEAD_MS } from '@ledgerline/contracts/intake-limits';
import { normalHost } from '@ledgerline/contracts/parse-url';
import { parseInstant } from '@ledgerline/domain/time/instant';
import { normalAddress } from '@ledgerline/platform/http/address';

/** One line of an access log in the combined format of Apache and nginx, with or without a virtual host in front. */
export interface CombinedLine {
  /** The virtual host, in lower case and without its port; null = the line names none. */
  readonly host: string | null;
  /** In the form of `normalAddress`, or the name that the server looked up for it. */
  readonly address: string;
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  /** As requested: a path with its query string, or a full URL; bytes that the server escaped are percent-encoded. */
  readonly target: string;
  readonly status: number;
  /** null = none; escaped bytes are percent-encoded. */
  readonly referrer: string | null;
  readonly userAgent: string | null;
}

/** Between quotation marks, with escapes. */
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
/** What the common and the combined format begin with. */
const COMMON = String.raw`^([^"]+?) \[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})\] ${QUOTED} (\d{3}) \S+`;
const LINE = new RegExp(`${COMMON} ${QUOTED} ${QUOTED}`);
const COMMON_ALONE = new RegExp(String.raw`${COMMON}\s*$`);
const REQUEST = /^([A-Z]+) (.+?)(?: HTTP\/[\d.]+)?$/;
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?$/i;

/** Whether it is in the common format: without referrer and user agent. */
export function isCommonLine(line: string): boolean {
  const client = COMMON_ALONE.exec(line)?.[1];
  return client !== undefined && readClient(client) !== null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A parsed line, or null when it is not in that format. */
export function parseCombinedLine(line: string): CombinedLine | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, front = '', , , , , , , , , , request = '', status = '', referrer = '', userAgent = ''] = match;
  const [client, at] = [readClient(front), timeOf(match.slice(2, 11))];
  const [, method, target] = REQUEST.exec(request) ?? [];
  if (client === null || at === null || method === undefined || target === undefined) return null;
  return {
    ...client,
    at,
    method,
    target: encodedBytes(target),
    status: Number(status),
    referrer: field(encodedBytes(referrer)),
    userAgent: field(decodedBytes(userAgent)),
  };
}

/**
 * What stands before the time: `address ident user`, or the same after a virtual host, which is recognised by the address
 * behind it. A user may have spaces where the address is certain to be one. Null for anything else, as the prefix of a syslog.
 */
function readClient(front: string): Pick<CombinedLine, 'host' | 'address'> | null {
  const [first = '', second = '', ...others] = front.split(' ');
  const behind = normalAddress(second);
  if (behind !== undefined) {
    const host = hostName(first);
    return host === null || others.length < 2 ? null : { host, address: behind };
  }
  const address = normalAddress(first);
  if (address !== undefined) return others.length === 0 ? null : { host: null, address };
  return others.length === 1 && HOST_NAME.test(first) ? { host: null, address: first } : null;
}

/** Of a virtual host with or without its port; null for what is none. */
export function hostName(text: string): string | null {
  const address = normalAddress(text);
  if (address !== undefined) return address;
  const name = text.replace(/:\d{1,5}$/, '');
  return HOST_NAME.test(name) ? normalHost(name) : null;
}

function timeOf(parts: readonly string[]): number | null {
  const [day, month = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] = parts;
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const date = `${year}-${monthNumber}-${day}`;
  return parseInstant(`${date}T${hour}:${minute}:${second}${sign}${zoneHours}${zoneMinutes}`) ?? null;
}

/** `\xHH` of both servers, and the letters and signs that Apache escapes (ap_escape_logitem). */
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|([ -~]))/g;
const LETTERS: Readonly<Partial<Record<string, string>>> = { b: '08', n: '0A', r: '0D', t: '09', v: '0B' };

const hexOf = (byte: string | undefined, sign = ''): string =>
  (byte ?? LETTERS[sign] ?? sign.charCodeAt(0).toString(16).padStart(2, '0')).toUpperCase();

/** With escaped bytes as in an address; `%` itself is never escaped, so nothing is encoded twice. */
const encodedBytes = (text: string): string =>
  text.includes('\\') ? text.replace(ESCAPE, (_, byte?: string, sign?: string) => `%${hexOf(byte, sign)}`) : text;

function decodedBytes(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = text
    .split(/((?:\\x[0-9A-Fa-f]{2}|\\[ -~])+)/)
    .map((part, n) =>
      n % 2 === 0 ? part : Buffer.from(encodedBytes(part).replaceAll('%', ''), 'hex').toString('utf8'),
    );
  return bytes.join('');
}

const field = (text: string): string | null => (text === '-' || text === '' ? null : text);

/** Why a line is no page view; each is one row of the final table. */
export const SKIP_REASONS = {
  unparseable: 'not in the combined format',
  common: 'common format: no user agents',
  method: 'other methods than GET',
  status: 'other statuses than 200 and 304',
  host: 'other virtual hosts',
  file: 'images, scripts and other files',
  feed: 'feeds',
  no_user_agent: 'no user agent',
  bot: 'bots',
  time: 'before 2000 or in the future',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

/** Endings of what is no page: images, fonts, styles, scripts, media, archives, programs, feeds and data. */
const FILE_TYPES = new Set(
  (
    'css js mjs map json xml rss atom txt csv ico png jpg jpeg gif svg webp avif bmp woff woff2 ttf otf eot mp3 mp4 m4a ' +
    'webm ogg wav avi mov zip gz tgz bz2 xz 7z rar tar jar war exe dmg pkg deb rpm iso pdf doc docx xls xlsx ppt pptx ' +
    'swf wasm log conf py rb c h cpp java sh sql yml yaml md'
  ).split(' '),
);
const FEED = /(^|&)(flav=(rss20|atom)|feed=)/;
/** By isbot alone: an import of the same file gives the same page views whatever rules of our own there are. */
const bots = new LRUCache<string, boolean>({ max: 10_000, memoMethod: (userAgent) => isbot(userAgent.slice(0, 2048)) });

/** Why a line is no page view of the page that its target names; null = it is one, if there is such a page. */
export function skipReason(
  { method, status, userAgent, at }: CombinedLine,
  page: Pick<Page, 'path' | 'query'> | null,
  now: number,
): SkipReason | null {
  if (method !== 'GET') return 'method';
  if (status !== 200 && status !== 304) return 'status';
  if (page && fileType(page.path) !== null) return 'file';
  if (FEED.test(page?.query ?? '')) return 'feed';
  if (userAgent === null) return 'no_user_agent';
  if (bots.memo(userAgent)) return 'bot';
  if (at < EARLIEST_TIME || at > now + MAX_AHEAD_MS) return 'time';
  return null;
}

/** The ending of a path that is a file and no page, in lower case; null for a page, whatever else it ends with. */
export function fileType(path: string): string | null {
  const [, ending = ''] = /\.([^./]*)$/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  return FILE_TYPES.has(ending.toLowerCase()) ? ending.toLowerCase() : null;
}
