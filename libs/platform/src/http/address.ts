import { isIPv4, isIPv6 } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/**
 * A client's address in the one form that it has wherever it is read: without port, brackets and zone, IPv4-mapped IPv6 as
 * IPv4, IPv6 as RFC 5952 writes it. Undefined for what is no address.
 */
export function normalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined;
}

/** What a client's address is counted by: of IPv6 the /64 network, as one customer has all of it. */
export function countedAddress(ip: string): string {
  const address = normalAddress(ip) ?? ip;
  if (!isIPv6(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Whether the host name of an address, as `URL` has it, means this machine. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
