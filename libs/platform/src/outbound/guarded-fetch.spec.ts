import { getDefaultAutoSelectFamily } from 'node:net';
import { request, interceptors } from 'undici';
import { startHttpsServer, type HttpsServer } from '@test/outbound/https-server';
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
      const [own, resolve] = [{ allows: isPublicAddress }, undefined];
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
