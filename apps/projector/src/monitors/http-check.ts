import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { MonitorSettings } from '@ledgerline/contracts/events/monitor.events';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { omit } from '@ledgerline/domain/decider';
import { isWebAddress } from '@ledgerline/domain/links/link-addresses';
import { plainMonitor } from '@ledgerline/domain/monitors/monitor.decider';
import { ACCEPTED_ENCODINGS, BodyUnreadable } from '@ledgerline/platform/outbound/content-encoding';
import { exchange, whyFailed, type RequestFailure, type OutboundAnswer } from '@ledgerline/platform/outbound/exchange';
import type { GuardOptions } from '@ledgerline/platform/outbound/guarded-fetch';
import { findTexts } from './answer-text';

type CheckSettings = Omit<MonitorSettings, 'name' | 'intervalSeconds' | 'headerNames' | 'sealedHeaders' | 'paused'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** The settings of a check; one that is left out, as by monitors of earlier versions, is as it is by default. */
export type GivenSettings = Pick<CheckSettings, 'url' | 'headers'> & Partial<CheckSettings>;

export type CheckResult = Pick<
  MonitorChecked['data'],
  'up' | 'status' | 'durationMs' | 'failure' | 'warning' | 'detail' | 'certificateExpiresAt'
>;

const MAX_REDIRECTS = 3;
const OWN_HEADERS = { 'user-agent': 'Ledgerline-Monitor/1.0', accept: '*/*', 'accept-encoding': ACCEPTED_ENCODINGS };
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const DAY_MS = 86_400_000;

type Verdict = Pick<CheckResult, 'status' | 'failure' | 'detail'> &
  Pick<OutboundAnswer, 'tlsError' | 'certificateExpiresAt'>;

/** Asks an address once, through the guard. @throws the signal's reason when it is aborted: then there is no result */
export async function checkAddress(
  given: GivenSettings,
  guard: GuardOptions,
  stopping: AbortSignal,
): Promise<CheckResult> {
  const settings = { ...plainMonitor, ...given };
  const timeout = AbortSignal.timeout(settings.timeoutSeconds * 1_000);
  const done = new AbortController();
  const signal = AbortSignal.any([timeout, stopping, done.signal]);
  const begun = performance.now();
  const verdict = await follow(settings, { ...guard, http: true }, signal).catch((error: unknown): Verdict => {
    stopping.throwIfAborted();
    const failure = timeout.aborted ? timedOut(settings) : whyFailed(error);
    return { status: null, ...failure, tlsError: null, certificateExpiresAt: null };
  });
  const durationMs = Math.round(performance.now() - begun);
  done.abort(); // what is not read of the answer
  const found = omit(verdict, 'tlsError');
  return {
    up: found.failure === null,
    durationMs,
    warning: null,
    ...found,
    ...warningOf(settings, verdict, durationMs),
  };
}

const timedOut = ({ timeoutSeconds }: CheckSettings): RequestFailure => ({
  failure: 'timeout',
  detail: `There was no whole answer within ${timeoutSeconds} s.`,
});

/** Returns what is not well although it is up; what makes a monitor degraded comes first. */
function warningOf(
  { slowAfterMs, certificateDays }: CheckSettings,
  { failure, tlsError, certificateExpiresAt }: Verdict,
  durationMs: number,
): Partial<CheckResult> {
  if (failure !== null) return {};
  const days = certificateExpiresAt === null ? Infinity : (certificateExpiresAt - Date.now()) / DAY_MS;
  if (slowAfterMs !== null && durationMs > slowAfterMs)
    return { warning: 'slow', detail: `The answer took ${durationMs} ms, more than ${slowAfterMs} ms.` };
  if (certificateDays !== null && days < certificateDays)
    return { warning: 'certificate', detail: expiryText(certificateExpiresAt ?? 0) };
  return tlsError === null ? {} : { warning: 'tls', detail: `${tlsError} This is ignored, as the monitor wants.` };
}

const expiryText = (at: number): string =>
  `The certificate ${at < Date.now() ? 'expired' : 'expires'} on ${new Date(at).toISOString().slice(0, 10)}.`;

async function follow(settings: CheckSettings, guard: GuardOptions, signal: AbortSignal): Promise<Verdict> {
  let { method } = settings;
  let url = new URL(settings.url);
  const { origin } = url;
  const cookies = new Cookies();
  for (let redirects = 0; ; redirects++) {
    const body = method === 'POST' ? settings.body : null;
    const own = url.origin === origin ? settings.headers : {};
    const headers = { ...contentType(body), ...headersFor(url, own, cookies) };
    const asked = { url, method, headers, body, ignoreTlsErrors: settings.ignoreTlsErrors, isLenient: true };
    const { answer, ...tls } = await exchange(asked, guard, signal);
    const status = answer.statusCode ?? null;
    cookies.take(answer.headers['set-cookie'] ?? [], url);
    const to = redirectOf(settings, status, answer.headers.location);
    if (to === undefined) return { status, ...tls, ...(await judge(settings, answer)) };
    const next = parseUrl(to, url);
    const isRight = next !== null && isWebAddress(next.href);
    if (!isRight || redirects === MAX_REDIRECTS) return { status, ...tls, ...redirectFailure(isRight) };
    method = redirectedMethod(method, status);
    answer.destroy();
    url = next;
  }
}

/** After all redirects but two a POST becomes a GET, as in browsers, and as RFC 9110 allows. */
const redirectedMethod = (method: CheckSettings['method'], status: number | null): CheckSettings['method'] =>
  method === 'POST' && status !== 307 && status !== 308 ? 'GET' : method;

/** Returns what most senders mean by a body, unless the monitor's headers say it. */
const contentType = (body: string | null): Readonly<Record<string, string>> =>
  body === null
    ? {}
    : { 'content-type': /^\s*[[{]/.test(body) ? 'application/json' : 'application/x-www-form-urlencoded' };

/** Returns the headers of a check: those of the monitor replace our own, however they are written. */
function headersFor(url: URL, own: Readonly<Record<string, string>>, cookies: Cookies): Record<string, string> {
  const lower = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  const cookie = [lower['cookie'], cookies.headerFor(url)].filter((each) => each !== undefined).join('; ');
  return { ...OWN_HEADERS, ...lower, ...(cookie === '' ? {} : { cookie }) };
}

/** Where an answer leads to, sent in Latin-1 or UTF-8; undefined for one that is judged itself. */
function redirectOf({ expectedStatus }: CheckSettings, status: number | null, location: string | undefined) {
  const isRedirect = status !== null && REDIRECTS.includes(status);
  if (!location || !isRedirect || (expectedStatus !== null && REDIRECTS.includes(expectedStatus))) return undefined;
  const bytes = Buffer.from(location, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : location;
}

const redirectFailure = (isTooLong: boolean): RequestFailure => ({
  failure: 'redirects',
  detail: isTooLong ? `There were more than ${MAX_REDIRECTS} redirects.` : 'A redirect leads to no http(s) address.',
});

const RIGHT: Pick<Verdict, 'failure' | 'detail'> = { failure: null, detail: null };

async function judge(settings: CheckSettings, answer: IncomingMessage): Promise<Pick<Verdict, 'failure' | 'detail'>> {
  const { expectedStatus, expectedText, unwantedText } = settings;
  const status = answer.statusCode ?? 0;
  if (!isExpected(status, expectedStatus))
    return { failure: 'status', detail: `The status was ${status}, not ${expectedStatus ?? '200 to 299'}.` };
  if (expectedText === null && unwantedText === null) return RIGHT;
  try {
    const found = await findTexts(answer, { expected: expectedText, unwanted: unwantedText });
    if (found.unwanted) return { failure: 'text', detail: 'The answer holds the text that must not be there.' };
    if (expectedText === null || found.expected) return RIGHT;
    return { failure: 'text', detail: 'The answer does not hold the expected text.' };
  } catch (error) {
    if (error instanceof BodyUnreadable) return { failure: 'text', detail: error.message };
    throw error;
  }
}

const isExpected = (status: number, expected: number | null): boolean =>
  expected === null ? status >= 200 && status <= 299 : status === expected;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** True if hosts below the domain get it, too. */
  readonly isShared: boolean;
  readonly path: string;
  readonly isSecure: boolean;
}

/** The cookies that servers set within one check (RFC 6265, 5). */
class Cookies {
  private readonly kept = new Map<string, Cookie>();

  /** Keeps what an answer from an address sets, and forgets what it deletes. */
  take(lines: readonly string[], from: URL, now = Date.now()): void {
    for (const line of lines) {
      const [pair = '', ...parts] = line.split(';');
      const [name, value] = splitAt(pair, '=');
      if (value === undefined || name === '') continue;
      const attributes = new Map(parts.map((part) => splitAt(part, '=')).map(([key, own]) => [key.toLowerCase(), own]));
      const cookie: Cookie = { name, value, ...scopeIn(attributes, from) };
      if (!isWithin(from.hostname, cookie.domain)) continue;
      const key = JSON.stringify([name, cookie.domain, cookie.path]);
      if (isOver(attributes, now)) this.kept.delete(key);
      else this.kept.set(key, cookie);
    }
  }

  /** The header for a request to an address; undefined = none belongs to it. */
  headerFor({ hostname, pathname, protocol }: URL): string | undefined {
    const own = [...this.kept.values()].filter(
      ({ domain, isShared, path, isSecure }) =>
        (isShared ? isWithin(hostname, domain) : hostname === domain) &&
        (pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)) &&
        (!isSecure || protocol === 'https:'),
    );
    const longestPathFirst = own.sort((a, b) => b.path.length - a.path.length);
    return own.length === 0 ? undefined : longestPathFirst.map(({ name, value }) => `${name}=${value}`).join('; ');
  }
}

type CookieAttributes = ReadonlyMap<string, string | undefined>;

/** Returns which requests a cookie is for. */
function scopeIn(attributes: CookieAttributes, from: URL): Omit<Cookie, 'name' | 'value'> {
  const wanted = attributes.get('domain')?.replace(/^\./, '').toLowerCase();
  const isShared = Boolean(wanted);
  const given = attributes.get('path') ?? '';
  const path = given.startsWith('/') ? given : folderOf(from.pathname);
  return { domain: wanted || from.hostname, path, isShared, isSecure: attributes.has('secure') };
}

function splitAt(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text.trim(), undefined] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Domains of one label, as `com`, are a host's own alone. */
const isWithin = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && domain.includes('.') && !/^[\d.]+$/.test(host));

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

function isOver(attributes: CookieAttributes, now: number): boolean {
  const age = attributes.get('max-age');
  const expires = attributes.get('expires');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return expires !== undefined && Date.parse(expires) <= now;
}
