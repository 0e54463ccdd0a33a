import { lookup } from 'node:dns/promises';
import { type Socket, connect, isIP, isIPv6 } from 'node:net';
import * as ipaddr from 'ipaddr.js';
import type { Agent } from 'undici';
import { withoutEncodings } from './content-encoding';

export interface GuardOptions {
  /** The addresses of a host name; by default those of the system. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Returns which addresses may be connected to; by default those of the internet. */
  readonly allows?: (address: string) => boolean;
  /** True if plain http is allowed, too. */
  readonly http?: boolean;
  /** Trusted instead of the usual authorities, in PEM. */
  readonly ca?: string;
}

export interface RequestLimits {
  /** The greatest size of a body, in bytes. */
  readonly maxResponseSize: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** An address that must not be connected to; its message names the host and no address of it. */
export class AddressNotAllowed extends Error {}

/**
 * For requests to addresses that others chose: their connections are guarded, and certificates are checked by name.
 * As this is a part of connecting, it holds for each redirect that is followed, too. The library is loaded at its first use.
 */
export async function guardedAgent({ ca, ...rules }: GuardOptions, limits: RequestLimits): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const { maxResponseSize, signal } = limits;
  signal.throwIfAborted();
  const connect = buildConnector({ ca });
  const agent = new Agent({
    maxResponseSize,
    connect: (options, callback) => {
      guardedConnection(options, rules, signal)
        .then((socket) =>
          options.protocol === 'http:' ? callback(null, socket) : connect({ ...options, httpSocket: socket }, callback),
        )
        .catch((error: unknown) => callback(error as Error, null));
    },
  });
  // TRICKY: the signal of a request ends it only once it is connected
  signal.addEventListener('abort', () => void agent.destroy(signal.reason as Error), { once: true });
  return agent;
}

/**
 * A TCP connection against server-side request forgery: for https alone unless http is allowed, every address of the host
 * must be allowed, and it is to one of those that were checked. @throws AddressNotAllowed, or why there is none
 */
export async function guardedConnection(
  address: Pick<URL, 'protocol' | 'hostname' | 'port'>,
  { resolve = systemAddresses, allows = isPublicAddress, http = false }: Omit<GuardOptions, 'ca'>,
  signal: AbortSignal,
): Promise<Socket> {
  const { protocol, hostname } = address;
  if (protocol !== 'https:' && !http) throw new AddressNotAllowed(`${hostname} must be asked over https.`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await Promise.race([resolve(host), untilAborted(signal)]) : [host];
  if (addresses.length === 0 || !addresses.every(allows))
    throw new AddressNotAllowed(`${hostname} must have public addresses only.`);
  return connectFirst(addresses, portOf(address), signal);
}

function portOf({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

async function systemAddresses(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** After how long without an answer the next address is tried, too (RFC 8305, 5). */
const NEXT_AFTER_MS = 250;

/** Errors that say the least about a server: this machine cannot send to the address at all. */
const UNREACHABLE: readonly unknown[] = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * A connection to the first of several addresses that takes it. Each has a head start before the next one, of the other
 * family where there is one; a try that has begun goes on. @throws why the addresses failed, or the signal's reason
 */
function connectFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const waiting = interleaved(addresses);
  const tries = new Set<Socket>();
  const errors: NodeJS.ErrnoException[] = [];
  return new Promise<Socket>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      for (const socket of tries) socket.destroy();
    };
    const abort = () => {
      end();
      reject(signal.reason);
    };
    const next = () => {
      clearTimeout(timer);
      const host = waiting.shift();
      if (host === undefined) return;
      const socket = connect({ host, port, noDelay: true });
      tries.add(socket);
      timer = setTimeout(next, NEXT_AFTER_MS);
      const fail = (error: Error) => {
        errors.push(error);
        tries.delete(socket);
        if (waiting.length > 0) next();
        else if (tries.size === 0) {
          end();
          reject(errors.find(({ code }) => !UNREACHABLE.includes(code)) ?? error);
        }
      };
      socket.once('error', fail).once('connect', () => {
        socket.off('error', fail);
        tries.delete(socket);
        end();
        resolve(socket);
      });
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else next();
  });
}

/** One of each family in turn, beginning with that of the first. */
function interleaved(addresses: readonly string[]): string[] {
  const first = addresses.filter((address) => isIPv6(address) === isIPv6(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * The addresses allocated as global unicast; the library takes all else without a special use for unicast, as
 * `::127.0.0.1`.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** IPv4 addresses as networks without IPv4 see them (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Returns whether an IP address is one of the internet and has no special use (RFC 6890): not of this machine, a
 * private network, a cloud's metadata service, multicast and so on. 6to4 and Teredo, which lead to an IPv4 address
 * inside of the IPv6 one, are not.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  if (address.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(address.toByteArray().slice(12)).toString());
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
}

export interface Beginning {
  /** After redirects. */
  readonly url: URL;
  /** The `Content-Type`; empty without one. */
  readonly type: string;
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

interface BeginningLimits {
  readonly maxBytes: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 4;
/** For those who read access logs; no encoding is asked for, though servers may send one regardless. */
const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; Ledgerline)', accept: '*/*', 'accept-encoding': 'identity' };

/**
 * The beginning of what is at an address that others chose, of public hosts only, after redirects, too.
 * @throws Error where there is none: another status than 200, an address that is not allowed, no answer in time
 */
export async function fetchBeginning(
  address: string,
  guard: GuardOptions,
  limits: BeginningLimits,
): Promise<Beginning> {
  const { maxBytes, signal } = limits;
  const agent = await guardedAgent(guard, { maxResponseSize: -1, signal });
  try {
    let url = new URL(address);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const { origin, pathname, search } = url;
      const sent = { origin, path: pathname + search, method: 'GET', headers: HEADERS, signal } as const;
      const { statusCode, headers, body } = await agent.request(sent);
      const { location, 'content-type': type = '', 'content-encoding': encodings = '' } = headers;
      if (statusCode === 200) {
        const bytes = withoutEncodings(body, String(encodings));
        return { url, type: [type].flat()[0] ?? '', ...(await beginningOf(bytes, maxBytes)) };
      }
      body.on('error', () => undefined).destroy();
      if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') break;
      url = new URL(location, url);
    }
    throw new Error('There is nothing to be read.');
  } finally {
    await agent.destroy();
  }
}

async function beginningOf(body: AsyncIterable<Buffer>, maxBytes: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes };
}
