import { Resolver, lookup } from 'node:dns/promises';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import type { CheckFailure } from '@ledgerline/contracts/events/observed-events';
import { AddressNotAllowed, type GuardOptions, guardedConnection } from './guarded-fetch';

interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | null;
  readonly ignoreTlsErrors?: boolean;
  /** True if answers are taken that browsers take and HTTP does not allow. */
  readonly isLenient?: boolean;
}

export interface OutboundAnswer {
  /** Its body is not read yet. */
  readonly answer: IncomingMessage;
  /** The fault of the certificate, in a sentence; null = nothing. */
  readonly tlsError: string | null;
  /** When the certificate ends, epoch ms. */
  readonly certificateExpiresAt: number | null;
}

/** A certificate that is not trusted; its message is a sentence for people. */
class CertificateRefused extends Error {}

/** As much as browsers take. */
const MAX_HEADER_BYTES = 256 * 1024;

/** One request over a connection of its own, which ends with the signal. @throws CertificateRefused, or why there is no answer */
export async function exchange(
  asked: OutboundRequest,
  guard: GuardOptions,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const socket = await guardedConnection(asked.url, guard, signal);
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  try {
    if (asked.url.protocol === 'http:')
      return { answer: await ask(asked, socket, signal), tlsError: null, certificateExpiresAt: null };
    const secure = await encrypt(socket, asked.url, guard.ca);
    const certificateExpiresAt = Date.parse(secure.getPeerCertificate().valid_to) || null;
    const tlsError = secure.authorized ? null : certificateFault(secure, asked.url);
    if (tlsError !== null && !asked.ignoreTlsErrors) throw new CertificateRefused(tlsError);
    return { answer: await ask(asked, secure, signal), tlsError, certificateExpiresAt };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Encrypts a connection. Whether the certificate is trusted is decided by the caller, who can say what is wrong with
 * it.
 */
function encrypt(socket: Socket, { hostname }: URL, ca: string | undefined): Promise<TLSSocket> {
  const host = bareHost(hostname);
  const servername = isIP(host) === 0 ? host : '';
  return new Promise((resolve, reject) => {
    const secure = connect({ socket, host, servername, ca, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    secure.once('error', reject).once('close', () => reject(closedEarly()));
    secure.once('secureConnect', () => resolve(secure));
  });
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const closedEarly = () => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });

/** There is one answer on the connection, so that none can be smuggled by leniency. */
function ask(asked: OutboundRequest, connection: Duplex, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, method, headers, body, isLenient = false } = asked;
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers, ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }) },
      createConnection: () => connection,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: isLenient,
      signal,
    });
    sent.on('error', reject).once('response', (answer: IncomingMessage) => {
      answer.on('error', () => undefined); // of a body that is not read to its end
      resolve(answer);
    });
    sent.end(body ?? undefined);
  });
}

function certificateFault(socket: TLSSocket, { hostname }: URL): string {
  const code = String(socket.authorizationError);
  const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
  const day = (text: string) => new Date(text).toISOString().slice(0, 10);
  if (code === 'CERT_HAS_EXPIRED') return `The certificate expired on ${day(to)}.`;
  if (code === 'CERT_NOT_YET_VALID') return `The certificate is valid from ${day(from)} on.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `The certificate is not one for ${hostname}.`;
  if (/SELF_SIGNED/.test(code)) return 'The certificate is signed by itself, or by an authority that is not trusted.';
  if (/ISSUER|LEAF_SIGNATURE/.test(code))
    return 'The certificate is signed by an authority that is not trusted, or the server does not send its intermediate certificate.';
  return `The certificate is not trusted (${code}).`;
}

/** A name without any address. */
export class NameNotResolved extends Error {}

const SERVER_TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * The addresses of a name, those of IPv4 first, from the name servers alone. Not by the system's lookup: that runs two at
 * a time in one process, so that names of one monitor without an answer would delay the checks of all others.
 * @throws NameNotResolved
 */
export async function resolveName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found(
    name,
    answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
  );
}

/** As this machine resolves names, hosts files included: for one's own network. @throws NameNotResolved */
export async function resolveLocally(name: string): Promise<readonly string[]> {
  const addresses = await lookup(name, { all: true, order: 'ipv4first' }).catch(() => []);
  return found(
    name,
    addresses.map(({ address }) => address),
  );
}

function found(name: string, addresses: readonly string[]): readonly string[] {
  if (addresses.length === 0) throw new NameNotResolved(`${name} has no address.`);
  return addresses;
}

/** Why there was no answer, and the same in a sentence for people. */
export interface RequestFailure {
  readonly failure: CheckFailure;
  readonly detail: string;
}

/** Returns what kept a request from an answer. */
export function whyFailed(error: unknown): RequestFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AddressNotAllowed) return { failure: 'address', detail: message };
  if (error instanceof NameNotResolved) return { failure: 'dns', detail: message };
  if (error instanceof CertificateRefused) return { failure: 'tls', detail: message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ETIMEDOUT') return { failure: 'timeout', detail: 'The server did not take the connection in time.' };
  if (/SSL|TLS|EPROTO/.test(code)) return { failure: 'tls', detail: tlsText(code) };
  return { failure: 'connection', detail: SENTENCES[code] ?? otherText(code) };
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server refused the connection: nothing listens at this port.',
  ECONNRESET: 'The server closed the connection before its answer was whole.',
  EPIPE: 'The server closed the connection before its answer was whole.',
  ENETUNREACH: 'The server cannot be reached from here.',
  EHOSTUNREACH: 'The server cannot be reached from here.',
  EADDRNOTAVAIL: 'The server cannot be reached from here.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are longer than 256 KiB.',
};

const tlsText = (code: string): string =>
  /WRONG_VERSION_NUMBER|PACKET_LENGTH/.test(code)
    ? 'The server does not speak TLS at this port.'
    : `There was no TLS connection (${code}).`;

const otherText = (code: string): string =>
  code.startsWith('HPE_') ? `The answer is no HTTP (${code}).` : `There was no answer (${code || 'unknown error'}).`;
