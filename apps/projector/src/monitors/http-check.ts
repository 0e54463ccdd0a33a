import type { MonitorSettings } from '@ledgerline/contracts/events/monitor.events';
import type { CheckFailure, MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { isWebAddress } from '@ledgerline/domain/links/web-address';
import { AddressNotAllowed, guardedAgent, type GuardOptions } from '@ledgerline/platform/outbound/guarded-agent';
import type { Dispatcher } from 'undici';
import { NameNotResolved } from './resolve-name';

export type CheckSettings = Pick<
  MonitorSettings,
  'url' | 'method' | 'timeoutSeconds' | 'expectedStatus' | 'expectedText'
> & { readonly headers: Readonly<Record<string, string>> };

export type CheckResult = Pick<MonitorChecked['data'], 'up' | 'status' | 'durationMs' | 'failure'>;

const MAX_REDIRECTS = 3;
/** Of a body, in which a text is looked for. */
const MAX_BYTES = 1024 * 1024;
const OWN_HEADERS = { 'user-agent': 'Ledgerline-Monitor/1.0', 'accept-encoding': 'identity' };
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

type Verdict = Pick<CheckResult, 'status' | 'failure'>;

/** Asks an address once, through the guard. @throws the signal's reason when it is aborted: then there is no result */
export async function checkAddress(
  settings: CheckSettings,
  guard: GuardOptions,
  stopping: AbortSignal,
): Promise<CheckResult> {
  const timeout = AbortSignal.timeout(settings.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([timeout, stopping]);
  const begun = performance.now();
  const { status, failure } = await judge(settings, guard, signal).catch((error: unknown): Verdict => {
    stopping.throwIfAborted();
    return { status: null, failure: timeout.aborted ? 'timeout' : failureOf(error) };
  });
  return { up: failure === null, status, durationMs: Math.round(performance.now() - begun), failure };
}

async function judge(settings: CheckSettings, guard: GuardOptions, signal: AbortSignal): Promise<Verdict> {
  // what is read beyond the limit before it is noticed must not end the check
  const agent = await guardedAgent({ ...guard, http: true }, { maxResponseSize: 2 * MAX_BYTES, signal });
  try {
    return await follow(settings, agent);
  } finally {
    await agent.destroy();
  }
}

async function follow(settings: CheckSettings, agent: Dispatcher): Promise<Verdict> {
  let url = new URL(settings.url);
  const { origin } = url;
  for (let redirects = 0; ; redirects++) {
    const own = url.origin === origin ? settings.headers : {};
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: settings.method,
      headers: { ...OWN_HEADERS, ...own },
    });
    response.body.on('error', () => undefined); // of a body that is not read to its end
    const { statusCode: status } = response;
    const to = redirectOf(settings, response);
    if (to === undefined) return { status, failure: await failureIn(settings, response) };
    const next = parseUrl(to, url);
    if (redirects === MAX_REDIRECTS || !next || !isWebAddress(next.href)) return { status, failure: 'redirects' };
    url = next;
  }
}

/** Where a response leads to; undefined for one that is judged itself. */
function redirectOf({ expectedStatus }: CheckSettings, { statusCode, headers }: Dispatcher.ResponseData) {
  const to = [headers.location].flat()[0];
  const isExpected = expectedStatus !== null && REDIRECTS.includes(expectedStatus);
  return REDIRECTS.includes(statusCode) && !isExpected ? to : undefined;
}

async function failureIn(
  { expectedStatus, expectedText }: CheckSettings,
  { statusCode, body }: Dispatcher.ResponseData,
): Promise<CheckFailure | null> {
  const isRight = expectedStatus === null ? statusCode >= 200 && statusCode <= 299 : statusCode === expectedStatus;
  if (!isRight) return 'status';
  return expectedText === null || (await holds(body, Buffer.from(expectedText))) ? null : 'text';
}

async function holds(body: AsyncIterable<Buffer>, text: Buffer): Promise<boolean> {
  let read = Buffer.alloc(0);
  for await (const chunk of body) {
    const from = Math.max(0, read.length - text.length);
    read = Buffer.concat([read, chunk]).subarray(0, MAX_BYTES);
    if (read.includes(text, from)) return true;
    if (read.length >= MAX_BYTES) return false;
  }
  return false;
}

function failureOf(error: unknown): CheckFailure {
  if (error instanceof AddressNotAllowed) return 'address';
  if (error instanceof NameNotResolved) return 'dns';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  return /CERT|SSL|TLS|SIGNATURE|VERIFY|EPROTO/.test(code) ? 'tls' : 'connection';
}
