import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Agent, buildConnector } from 'undici';
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
 * For requests to addresses that others chose (against server-side request forgery): https alone unless http is allowed, every address of the host
 * must be allowed, and the connection goes to the first of those that were checked, while its certificate is checked by name.
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
      checkedAddress(options, rules)
        .then((hostname) => connect({ ...options, hostname }, callback))
        .catch((error: unknown) => callback(error as Error, null));
    },
  });
  // TRICKY: the signal of a request ends it only once it is connected
  signal.addEventListener('abort', () => void agent.destroy(signal.reason as Error), { once: true });
  return agent;
}

/** @throws AddressNotAllowed */
async function checkedAddress(
  { protocol, hostname }: Pick<buildConnector.Options, 'protocol' | 'hostname'>,
  { resolve = systemAddresses, allows = isPublicAddress, http = false }: Omit<GuardOptions, 'ca'>,
): Promise<string> {
  if (protocol !== 'https:' && !http) throw new AddressNotAllowed(`${hostname} must be asked over https.`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const [first] = addresses;
  if (first === undefined || !addresses.every(allows))
    throw new AddressNotAllowed(`${hostname} must have public addresses only.`);
  return first;
}

async function systemAddresses(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}
