import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6, BlockList, isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';
import { NAMED_RANGES, type TrustProxy } from '../config/http-settings';

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

/** Returns what a client's address is counted by: of IPv6 the /64 network, as one customer has all of it. */
export function countedAddress(ip: string): string {
  const address = normalAddress(ip) ?? ip;
  if (!isIPv6(address)) return address;
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}

/** Returns whether the host name of an address, as `URL` has it, means this machine. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

type Connected = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Tells whether the hop of that number, counted from the connection, is trusted to name the one before; undefined = no
 * address.
 */
type IsTrusted = (address: string | undefined, hop: number) => boolean;

/**
 * Reads the address of a client in its normal form: of the connection, or as the proxies that are trusted name it. What is
 * no address, such as `unknown` or `_hidden`, leaves the last one that is known; empty without any.
 */
export function clientAddressReader({ whom, header }: TrustProxy): (request: Connected) => string {
  const isTrusted = trustIn(whom);
  const namesOf = header === 'forwarded' ? forwardedFor : listed;
  return ({ headers, socket }) => {
    const sent = headers[header];
    const first = normalAddress(socket.remoteAddress ?? '');
    if (sent === undefined || !isTrusted(first, 0)) return first ?? '';
    return lastTrusted(first ?? '', namesOf([sent].flat().join(',')).reverse(), isTrusted);
  };
}

/** From the nearest hop on, up to the first that is not trusted. */
function lastTrusted(first: string, named: readonly (string | undefined)[], isTrusted: IsTrusted): string {
  let last = first;
  for (const [index, name] of named.entries()) {
    const address = name === undefined ? undefined : normalAddress(name);
    last = address ?? last;
    if (!isTrusted(address, index + 1)) break;
  }
  return last;
}

function trustIn(whom: TrustProxy['whom']): IsTrusted {
  if (typeof whom === 'boolean') return () => whom;
  if (typeof whom === 'number') return (_, hop) => hop < whom;
  const ranges = new BlockList();
  for (const range of whom.flatMap((each) => NAMED_RANGES[each] ?? each)) {
    const [address = '', bits] = range.split('/');
    const version = isIP(address);
    ranges.addSubnet(address, Number(bits ?? (version === 4 ? 32 : 128)), version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => address !== undefined && ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Some proxies quote addresses with a port here, too. */
const listed = (text: string): string[] =>
  text.split(',').map((each) => /^"(.*)"$/.exec(each.trim())?.[1] ?? each.trim());

/** One pair of RFC 7239 and what ends it; unlike there an address with a port may come without quotation marks. */
const PAIR = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?[ \t]*([,;]|$)/y;

/**
 * Returns who each hop forwarded for, undefined where it does not say. TRICKY: none at all for a malformed header, or
 * the quotation mark that a client begins would swallow what its proxy adds behind.
 */
function forwardedFor(text: string): (string | undefined)[] {
  const hops: (string | undefined)[] = [];
  let hop: string | undefined;
  let isEmpty = true;
  for (PAIR.lastIndex = 0; ;) {
    const pair = PAIR.exec(text);
    if (pair === null) return [];
    const [, name, quoted, plain, end] = pair;
    isEmpty &&= name === undefined;
    if (name?.toLowerCase() === 'for') hop = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (end === ';') continue;
    if (!isEmpty) hops.push(hop);
    if (end === '') return hops;
    hop = undefined;
    isEmpty = true;
  }
}
