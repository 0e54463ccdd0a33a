import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import type { Agent } from 'undici';
import { connectFirst } from './connect-first';
import { isPublicAddress } from './public-address';

export interface GuardOptions {
  /** The addresses of a host name; by default those of the system. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
  /** Which addresses may be connected to; by default those of the internet. */
  readonly allows?: (address: string) => boolean;
  /** Whether plain http is allowed, too. */
  readonly http?: boolean;
  /** Trusted instead of the usual authorities, in PEM. */
  readonly ca?: string;
}

export interface RequestLimits {
  /** Of a body, in bytes. */
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
        .then((httpSocket) => connect({ ...options, httpSocket }, callback))
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
  { protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>,
  { resolve = systemAddresses, allows = isPublicAddress, http = false }: Omit<GuardOptions, 'ca'>,
  signal: AbortSignal,
): Promise<Socket> {
  if (protocol !== 'https:' && !http) throw new AddressNotAllowed(`${hostname} must be asked over https.`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await Promise.race([resolve(host), untilAborted(signal)]) : [host];
  if (addresses.length === 0 || !addresses.every(allows))
    throw new AddressNotAllowed(`${hostname} must have public addresses only.`);
  return connectFirst(addresses, Number(port) || (protocol === 'https:' ? 443 : 80), signal);
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

async function systemAddresses(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
