import { parseInstant } from '@ledgerline/domain/time/instant';
import { normalHost } from '@ledgerline/contracts/parse-url';
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
