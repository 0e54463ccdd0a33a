import { createHmac, randomBytes } from 'node:crypto';
import * as ipaddr from 'ipaddr.js';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import type { Settings } from '../config/settings';
import { exchange, resolveName, whyFailed } from './exchange';
import { isPublicAddress } from './guarded-fetch';

/** Where messages go and what signs them: the sealed value of a destination. */
export interface WebhookTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The newest one first. */
  readonly secrets: readonly WebhookSecret[];
}

interface WebhookSecret {
  readonly secret: string;
  /** Until when it signs, ISO 8601; absent = it is the present one. */
  readonly until?: string;
}

interface WebhookMessage {
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
}

/** The answer of a receiver. */
export interface WebhookAnswer {
  /** Null = there was no answer. */
  readonly status: number | null;
  /** The beginning of the body, or why there was no answer, in a sentence; null of an address of one's own network. */
  readonly text: string | null;
  /** The time for which the receiver asks to be left alone, ms. */
  readonly retryAfterMs: number | null;
  /** A mail server knows no such address. */
  readonly isGone?: boolean;
}

const SECRET_PREFIX = 'whsec_';

/** A secret of Standard Webhooks: 256 random bits. */
export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

const ROTATED_FOR_MS = 24 * 60 * 60_000;

/** The secrets after a rotation: the present one signs for another day, earlier ones no longer. */
export function rotateWebhookSecrets(
  { secrets }: Pick<WebhookTarget, 'secrets'>,
  secret: string,
  now: Date,
): WebhookSecret[] {
  const until = new Date(now.getTime() + ROTATED_FOR_MS).toISOString();
  return [{ secret }, ...secrets.slice(0, 1).map((former) => ({ secret: former.secret, until }))];
}

/** The headers of Standard Webhooks, with a signature for each secret that is valid at the time. */
export function webhookHeaders({ id, body }: WebhookMessage, secrets: readonly WebhookSecret[], now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const valid = secrets.filter(({ until }) => until === undefined || Date.parse(until) > now.getTime());
  const signatures = valid.map(({ secret }) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

type AllowedNetworks = Pick<Settings, 'destinationAllow'>;

const isOwn = (address: string, { destinationAllow }: AllowedNetworks): boolean => {
  const parsed = ipaddr.process(address);
  return destinationAllow.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return parsed.kind() === range.kind() && parsed.match([range, bits]);
  });
};

/**
 * Returns whether a message may go to an address: to those of the internet over https, and to those of one's own
 * networks.
 */
export const isAllowedTarget = (address: string, protocol: string, settings: AllowedNetworks): boolean =>
  (protocol === 'https:' && isPublicAddress(address)) || isOwn(address, settings);

/** Hosts of this installation, to which nothing is sent. */
export const isOwnHost = (
  host: string,
  { publicApiUrl, publicTrackUrl }: Pick<Settings, 'publicApiUrl' | 'publicTrackUrl'>,
): boolean => [publicApiUrl, publicTrackUrl].some((own) => parseUrl(own)?.host === host);

const TIMEOUT_MS = 10_000;
const MAX_TEXT_BYTES = 1_024;

/** Sends one message, and follows no redirect. @throws the signal's reason when it is aborted: then it may have arrived or not */
export async function sendWebhook(
  { url: address, headers, secrets }: WebhookTarget,
  message: WebhookMessage,
  settings: AllowedNetworks,
  stopping: AbortSignal,
): Promise<WebhookAnswer> {
  const url = new URL(address);
  const done = new AbortController();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([timeout, stopping, done.signal]);
  const connected = { isPrivate: false };
  const allows = (found: string) => {
    connected.isPrivate ||= !isPublicAddress(found);
    return isAllowedTarget(found, url.protocol, settings);
  };
  const asked = {
    url,
    method: 'POST',
    headers: {
      'user-agent': 'Ledgerline-Webhook/1.0',
      'accept-encoding': 'identity',
      ...headers,
      'content-type': message.contentType,
      ...webhookHeaders(message, secrets, new Date()),
    },
    body: message.body,
  };
  try {
    const { answer } = await exchange(asked, { resolve: resolveName, allows, http: true }, signal);
    const text = await beginningOf(answer);
    return {
      status: answer.statusCode ?? null,
      text: connected.isPrivate ? null : text,
      retryAfterMs: retryAfter(answer.headers['retry-after'], Date.now()),
    };
  } catch (error) {
    stopping.throwIfAborted();
    const text = timeout.aborted
      ? `There was no whole answer within ${TIMEOUT_MS / 1_000} s.`
      : whyFailed(error).detail;
    return { status: null, text, retryAfterMs: null };
  } finally {
    done.abort();
  }
}

async function beginningOf(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString('utf8').replaceAll('\u0000', '');
}

/** Seconds, or a time. */
function retryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
