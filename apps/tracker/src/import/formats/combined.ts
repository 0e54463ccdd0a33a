import { normalAddress } from '@ledgerline/platform/http/address';
import type { LineContent, LogFormat } from './log-format';
import { clientAddress, hostName, readRequestLine, requestOf } from './logged-request';

/** The combined format of Apache and nginx, with or without a virtual host in front; the common one, without agents, too. */
export const combined: LogFormat = { name: 'combined', open: () => read };

/** Between quotation marks, with escapes. */
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
const LINE = new RegExp(String.raw`^([^"]+?) \[([^[\]"]{1,40})\] ${QUOTED} (\d{3}) \S+(?: ${QUOTED} ${QUOTED}|\s*$)`);
/** The begin of a line in the error log of nginx and Apache. */
const MESSAGE =
  /^(?:\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}:\d{2} \[\w+\] \d+#\d+:|\[\w{3} \w{3} \d{2} [\d:.]+ \d{4}\] \[\w*:?\w+\]) /;

function read(line: string): LineContent | null {
  const match = LINE.exec(line);
  if (match === null) return MESSAGE.test(line) ? 'message' : null;
  const [, front = '', time, request = '', status, referrer, userAgent] = match;
  const client = readClient(front);
  if (client === null) return null;
  const { method, target } = readRequestLine(request);
  return requestOf({
    ...client,
    time,
    method,
    target: encodedBytes(target),
    status,
    referrer: referrer && encodedBytes(referrer),
    userAgent: userAgent === undefined ? undefined : decodedBytes(userAgent),
  });
}

/**
 * Returns what stands before the time: `address ident user`, or the same after a virtual host, which is recognised by
 * the address behind it. A user may have spaces where the address is certain to be one. Null for anything else, as the
 * prefix of a syslog.
 */
function readClient(front: string): { readonly host?: string; readonly address: string } | null {
  const [first = '', second = '', ...others] = front.split(' ');
  if (normalAddress(second) !== undefined)
    return hostName(first) === null || others.length < 2 ? null : { host: first, address: second };
  const isAddress = normalAddress(first) !== undefined;
  if (isAddress ? others.length === 0 : others.length !== 1) return null;
  return clientAddress(first) === null ? null : { address: first };
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
