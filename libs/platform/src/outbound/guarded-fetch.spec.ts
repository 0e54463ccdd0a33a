import { BlockList, getDefaultAutoSelectFamily } from 'node:net';
import fc from 'fast-check';
import { interceptors, request } from 'undici';
import { type HttpsServer, startHttpsServer } from '@test/outbound/https-server';
import {
  AddressNotAllowed,
  type GuardOptions,
  type RequestLimits,
  guardedAgent,
  isPublicAddress,
} from './guarded-fetch';

const NAME = 'agent.example.com';

/** On loopback, which the guard takes for public by its option; nothing between it and the server is replaced. */
describe('a guarded request', () => {
  it('goes over TLS to the host that it names, as Node connects by default', async () => {
    expect(getDefaultAutoSelectFamily()).toBe(true);
    expect(await asked('/')).toBe('the document');
    expect(server.connections).toEqual([{ address: '127.0.0.1', name: NAME }]);
  });

  it('resolves the name once and connects to the address that was checked, whatever the name has next', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.7'], ['169.254.169.254']];
    const resolve = jest.fn(() => Promise.resolve(answers.shift()!));
    expect(await asked('/', { resolve })).toBe('the document');
    expect(resolve).toHaveBeenCalledTimes(1);
    await expect(asked('/', { resolve })).rejects.toBeInstanceOf(AddressNotAllowed);
    expect(server.connections.length).toBe(1);
  });

  it.each<[string, string[]]>([
    ['a private address', ['10.0.0.7']],
    ['one behind a public one', ['127.0.0.1', '192.168.1.1']],
    ['one before a public one', ['169.254.169.254', '127.0.0.1']],
    ['one of IPv6', ['127.0.0.1', 'fd00::1']],
    ['one in the form of IPv6', ['::ffff:10.0.0.7']],
    ['none', []],
  ])('is not sent to a name with %s', async (_, addresses) => {
    await expect(asked('/', { resolve: () => Promise.resolve(addresses) })).rejects.toBeInstanceOf(AddressNotAllowed);
    expect(server.connections).toEqual([]);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])(
    'is not sent to %s, with the rules and the resolver of a real one',
    async (host) => {
      const own = { allows: isPublicAddress };
      const resolve = undefined;
      await expect(asked(`https://${host}:${server.port}/`, { ...own, resolve })).rejects.toBeInstanceOf(
        AddressNotAllowed,
      );
      expect(server.connections).toEqual([]);
    },
  );

  it('is sent to private addresses when they are allowed', async () => {
    expect(await asked('/', { resolve: undefined, allows: () => true }, 'localhost')).toBe('the document');
  });

  it('is sent over https alone', async () => {
    await expect(asked(`http://${NAME}:${server.port}/`)).rejects.toThrow('https');
  });

  it.each<[string, GuardOptions, string]>([
    ['another host', {}, 'other.example.com'],
    ['an unknown authority', { ca: undefined }, NAME],
  ])('is not sent to a server with a certificate of %s', async (_, options, name) => {
    await expect(asked('/', options, name)).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNATURE/) as string,
    });
  });

  it('fails when the name has no address at all', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    await expect(asked('/', { resolve })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('follows no redirect, and has each one checked that its caller follows', async () => {
    const agent = await agentOf({});
    const url = (path: string) => `https://${NAME}:${server.port}${path}`;
    expect((await request(url('/moved?to=/'), { dispatcher: agent })).statusCode).toBe(302);
    const following = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
    const { body } = await request(url('/moved?to=/'), { dispatcher: following });
    expect(await body.text()).toBe('the document');
    for (const to of ['https://private.example.com/', 'https://10.0.0.7/', `http://${NAME}:${server.port}/`])
      await expect(request(url(`/moved?to=${to}`), { dispatcher: following })).rejects.toBeInstanceOf(
        AddressNotAllowed,
      );
    await agent.destroy();
  });

  it('fails for a body that is too large, also when its length is not stated', async () => {
    for (const path of ['/large', '/endless'])
      await expect(asked(path)).rejects.toMatchObject({
        code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      });
  });

  it.each(['/silent', '/slow', 'a name that is not resolved'])('ends with its signal: %s', async (path) => {
    const resolve = path.startsWith('/') ? {} : { resolve: () => new Promise<never>(() => undefined) };
    const signal = AbortSignal.timeout(200);
    await expect(asked(path.startsWith('/') ? path : '/', resolve, NAME, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

let server: HttpsServer;

const agentOf = (options: GuardOptions, limits: Partial<RequestLimits> = {}) =>
  guardedAgent(
    {
      resolve: (name) => Promise.resolve(name.startsWith('private') ? ['10.0.0.7'] : ['127.0.0.1']),
      allows: (address) => address === '127.0.0.1' || isPublicAddress(address),
      ca: server.ca,
      ...options,
    },
    { maxResponseSize: 10_000, signal: new AbortController().signal, ...limits },
  );

async function asked(
  address: string,
  options: GuardOptions = {},
  name = NAME,
  limits: Partial<RequestLimits> = {},
): Promise<string> {
  const dispatcher = await agentOf(options, limits);
  try {
    const { body } = await request(new URL(address, `https://${name}:${server.port}`), { dispatcher });
    return await body.text();
  } finally {
    await dispatcher.destroy();
  }
}

beforeEach(async () => {
  server = await startHttpsServer([NAME, 'localhost'], ({ url = '' }, reply) => {
    const { pathname, searchParams } = new URL(url, 'https://any');
    if (pathname === '/moved') reply.writeHead(302, { location: searchParams.get('to')! }).end();
    else if (pathname === '/large') reply.writeHead(200, { 'content-length': 1e6 }).end('x'.repeat(1e6));
    else if (pathname === '/endless') setInterval(() => reply.write('x'.repeat(5_000)), 1).unref();
    else if (pathname === '/slow') setInterval(() => reply.write('x'), 20).unref();
    else if (pathname !== '/silent') reply.end('the document');
  });
});

afterEach(() => server.close());

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

/** Addresses of the range's own bits and any others behind them. */
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
