import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** What is allocated as global unicast; the library takes all else without a special use for unicast, as `::127.0.0.1`. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** IPv4 addresses as networks without IPv4 see them (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/**
 * Whether an IP address is one of the internet and has no special use (RFC 6890): not of this machine, a private network, a
 * cloud's metadata service, multicast and so on. 6to4 and Teredo, which lead to an IPv4 address inside of the IPv6 one, are not.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  if (address.match(NAT64)) return isPublicAddress(ipaddr.fromByteArray(address.toByteArray().slice(12)).toString());
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast';
}
