import { BlockList } from 'node:net';
import fc from 'fast-check';
import { isPublicAddress } from './guarded-fetch';

describe('an address is public', () => {
  it.each(['1.1.1.1', '93.184.216.34', '223.255.255.255', '2606:2800:220:1::1', '2A00:1450:4001:0:0:0:0:200E'])(
    'when it is of the internet, as %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['::ffff:93.184.216.34', '64:ff9b::5db8:d822'])('when it stands for such a one, as %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['', 'localhost', '1.1.1', '01.1.1.1', '0x1010101', '[2606:2800:220:1::1]', '1.1.1.1:443'])(
    'not when it is none: %j',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );

  it('if and only if no registry of special uses has it', () =>
    fc.assert(
      fc.property(ipv4, (address) => expect(isPublicAddress(address)).toBe(!SPECIAL.check(address, 'ipv4'))),
      { numRuns: 300 },
    ));

  it('not in any special range, however it is written', () =>
    fc.assert(
      fc.property(special, spelling, (address, spelt) =>
        expect([address, isPublicAddress(spelt(address))]).toEqual([address, false]),
      ),
      { numRuns: 500 },
    ));

  it('not in any special range of IPv6', () =>
    fc.assert(
      fc.property(special6, (address) => expect([address, isPublicAddress(address)]).toEqual([address, false])),
      { numRuns: 500 },
    ));
});

describe('a host of a web address', () => {
  it('is no public address in any of the spellings that browsers know of a special one', () =>
    fc.assert(
      fc.property(special, hostSpelling, (address, spelt) => {
        const { hostname } = new URL(`https://${spelt(address)}/`);
        expect([address, isPublicAddress(hostname.replace(/^\[|\]$/g, ''))]).toEqual([address, false]);
      }),
      { numRuns: 300 },
    ));
});

/** The special-purpose registries of IANA, and what is no unicast. */
const RANGES = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
].map((range) => range.split('/') as [string, string]);

const RANGES6 = [
  ...['::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48'],
  ...['3fff::/20', '4000::/3', '5f00::/16', '8000::/3', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
].map((range) => range.split('/') as [string, string]);

const SPECIAL = new BlockList();
for (const [network, prefix] of RANGES) SPECIAL.addSubnet(network, Number(prefix), 'ipv4');

const numberOf = (address: string): number =>
  address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
const dotted = (number: number): string => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
const groupsOf = (address: string): [string, string] => {
  const hex = numberOf(address).toString(16).padStart(8, '0');
  return [hex.slice(0, 4), hex.slice(4)];
};
const inverted = (address: string): string => dotted(~numberOf(address) >>> 0);

/** Anywhere, and often at the edges of a range. */
const special = fc
  .tuple(fc.constantFrom(...RANGES), fc.oneof(fc.constantFrom(0, 0xffffffff), fc.nat(0xffffffff)))
  .map(([[network, prefix], any]) => dotted((numberOf(network) + (any >>> Number(prefix))) >>> 0));
const ipv4 = fc.oneof(fc.nat(0xffffffff).map(dotted), special);

/** Of the range's own bits and any others behind them. */
const special6 = fc
  .tuple(fc.constantFrom(...RANGES6), fc.bigInt(0n, (1n << 128n) - 1n))
  .map(([[network, prefix], any]) => {
    const [head = '', tail = ''] = network.split('::');
    const front = head.split(':').filter(Boolean);
    const back = tail.split(':').filter(Boolean);
    const groups = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
    const start = groups.reduce((number, group) => (number << 16n) + BigInt(`0x${group}`), 0n);
    const hex = (start + (any >> BigInt(prefix))).toString(16).padStart(32, '0');
    return hex.replace(/(.{4})(?!$)/g, '$1:');
  });

const spelling = fc.constantFrom<(address: string) => string>(
  (address) => address,
  (address) => `::ffff:${address}`,
  (address) => `::FFFF:${groupsOf(address).join(':').toUpperCase()}`,
  (address) => `0:0:0:0:0:ffff:${address}`,
  (address) => `::${address}`,
  (address) => `64:ff9b::${address}`,
  (address) => `2002:${groupsOf(address).join(':')}::1`,
  (address) => `2001:0:5db8:d822:0:0:${groupsOf(inverted(address)).join(':')}`,
  (address) => `::ffff:0:${address}`,
);

const hostSpelling = fc.constantFrom<(address: string) => string>(
  (address) => address,
  (address) => `${address}.`,
  (address) => String(numberOf(address)),
  (address) => `0x${numberOf(address).toString(16)}`,
  (address) => `0${numberOf(address).toString(8)}`,
  (address) =>
    address
      .split('.')
      .map((octet) => `0x${Number(octet).toString(16)}`)
      .join('.'),
  (address) =>
    address
      .split('.')
      .map((octet) => `0${Number(octet).toString(8)}`)
      .join('.'),
  (address) => `${address.split('.')[0]}.${numberOf(address) % 2 ** 24}`,
  (address) => `[::ffff:${address}]`,
  (address) => `[64:ff9b::${address}]`,
);
