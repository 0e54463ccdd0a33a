import type { RequestListener } from 'node:http';
import { NameNotResolved, resolveLocally, resolveName } from '@ledgerline/platform/outbound/exchange';
import { isPublicAddress } from '@ledgerline/platform/outbound/guarded-fetch';
import { startHttpServer, type HttpServer } from '@test/monitors/http-server';
import { startHttpsServer } from '@test/outbound/https-server';
import { checkAddress, type GivenSettings } from './http-check';

describe('a check', () => {
  it('is up for a status from 200 to 299, and takes the time that it took', async () => {
    const plain = { warning: null, detail: null, certificateExpiresAt: null };
    expect(await check('/')).toEqual({ ...UP, ...plain, durationMs: expect.any(Number) as number });
    expect(await check('/status?204')).toMatchObject({ up: true, status: 204 });
    expect(await check('/status?404')).toMatchObject({ up: false, status: 404, failure: 'status' });
    expect(await check('/status?500')).toMatchObject({ up: false, status: 500, failure: 'status' });
  });

  it('is up for the expected status alone', async () => {
    expect(await check('/status?404', { expectedStatus: 404 })).toMatchObject(UP404);
    expect(await check('/', { expectedStatus: 404 })).toMatchObject({ up: false, status: 200, failure: 'status' });
    expect(await check('/moved?/', { expectedStatus: 302 })).toMatchObject({ up: true, status: 302 });
  });

  it('asks with its method, and finds its text also where it is sent in two pieces', async () => {
    expect(await check('/', { method: 'HEAD' })).toMatchObject(UP);
    expect(server.requests.at(-1)?.method).toBe('HEAD');
    for (const path of ['/', '/pieces']) expect(await check(path, { expectedText: 'all is wöll' })).toMatchObject(UP);
    expect(await check('/', { expectedText: 'ill' })).toMatchObject({ up: false, status: 200, failure: 'text' });
  });

  it('is down for a text that must not be there', async () => {
    expect(await check('/', { unwantedText: 'ill' })).toMatchObject(UP);
    expect(await check('/pieces', { unwantedText: 'wöll' })).toMatchObject({ up: false, failure: 'text' });
    const both = { expectedText: 'all is', unwantedText: 'here' };
    expect(await check('/', both)).toMatchObject({ up: false, detail: expect.stringContaining('must not') as string });
    expect(await check('/', { ...both, unwantedText: 'there' })).toMatchObject(UP);
  });

  it('is up with a warning when it is slow, and not when it is down', async () => {
    expect(await check('/pieces', { expectedText: 'wöll', slowAfterMs: 1 })).toMatchObject({ ...UP, warning: 'slow' });
    expect(await check('/pieces', { expectedText: 'wöll', slowAfterMs: 9_000 })).toMatchObject({ warning: null });
    expect(await check('/pieces', { expectedText: 'ill', slowAfterMs: 1 })).toMatchObject({ up: false, warning: null });
  });

  it('posts its body, also behind a redirect that keeps it, and asks with GET behind others', async () => {
    const post = { method: 'POST', body: '{"ö":1}' } as const;
    for (const path of ['/', '/moved?/', '/kept?/']) expect(await check(path, post)).toMatchObject(UP);
    expect(await check('/', { ...post, body: 'a=b' })).toMatchObject(UP);
    expect(await check('/', { ...post, headers: { 'Content-Type': 'text/csv' } })).toMatchObject(UP);
    expect(await check('/', { ...post, body: null })).toMatchObject(UP);
    const json = 'application/json';
    const form = 'application/x-www-form-urlencoded';
    expect(
      server.requests.map(({ method, headers }) => [method, headers['content-type'], headers['content-length']]),
    ).toEqual([
      ...[
        ['POST', json, '8'],
        ['POST', json, '8'],
        ['GET', undefined, undefined],
        ['POST', json, '8'],
        ['POST', json, '8'],
      ],
      ...[
        ['POST', form, '3'],
        ['POST', 'text/csv', '8'],
        ['POST', undefined, '0'],
      ],
    ]);
  });

  it('reports when a certificate ends, and can take one that is not trusted', async () => {
    const https = await startHttpsServer(['ours.example'], (_, reply) => reply.end('all is wöll'));
    const guard = { ...OWN, resolve: () => Promise.resolve(['127.0.0.1']) };
    const ours = { url: `https://ours.example:${https.port}/` };
    const trusted = await check('', ours, { ...guard, ca: https.ca });
    expect(trusted).toMatchObject({ ...UP, warning: null });
    const days = Math.ceil(((trusted.certificateExpiresAt ?? 0) - Date.now()) / 86_400_000);
    expect(days).toBeGreaterThanOrEqual(1);
    const soon = await check('', { ...ours, certificateDays: days + 1 }, { ...guard, ca: https.ca });
    expect(soon).toMatchObject({
      ...UP,
      warning: 'certificate',
      detail: expect.stringMatching(/expires on 2/) as string,
    });
    const ignored = await check('', { ...ours, ignoreTlsErrors: true, expectedText: 'wöll' }, guard);
    expect(ignored).toMatchObject({ ...UP, warning: 'tls', detail: expect.stringContaining('ignored') as string });
    expect(await check('', ours, guard)).toMatchObject({ up: false, failure: 'tls' });
    await https.close();
  });

  it('reads no more than a MiB', async () => {
    expect(await check('/endless')).toMatchObject(UP);
    expect(await check('/endless', { expectedText: 'end' })).toMatchObject({ up: false, failure: 'text' });
    expect(sent).toBeLessThan(32 * 1024 * 1024); // buffers of both ends took what the check did not read
  });

  it('follows three redirects, not four, and none to what is no http(s) address', async () => {
    expect(await check('/moved?/moved?/moved?/')).toMatchObject(UP);
    expect(await check('/moved?/moved?/moved?/moved?/')).toMatchObject({ status: 302, failure: 'redirects' });
    for (const to of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://user:password@127.0.0.1/', 'http://['])
      expect(await check(`/moved?${to}`)).toMatchObject({ failure: 'redirects' });
  });

  it('sends its headers, but not to another origin', async () => {
    const headers = { authorization: 'Bearer secret', 'x-token': 'secret' };
    await check('/moved?/', { headers });
    expect(server.requests.map((each) => each.headers['x-token'])).toEqual(['secret', 'secret']);
    const other = await startHttpServer((_, reply) => reply.end());
    expect(await check(`/moved?${other.url}`, { headers })).toMatchObject(UP);
    expect(other.requests[0]?.headers).not.toMatchObject({ 'x-token': 'secret' });
    expect(JSON.stringify(other.requests[0]?.headers)).not.toContain('secret');
    await other.close();
  });

  it.each(['/silent', '/slow'])('ends with its timeout: %s', async (path) => {
    const result = await check(path, { timeoutSeconds: 1, expectedText: 'never' });
    expect(result).toMatchObject({ up: false, status: null, failure: 'timeout' });
  });

  it('has no result when its process stops', async () => {
    const stopping = new AbortController();
    const checking = checkAddress(settings('/silent'), OWN, stopping.signal);
    stopping.abort(new Error('stopping'));
    await expect(checking).rejects.toThrow('stopping');
  });

  it('names what kept it from a response', async () => {
    const closed = await startHttpServer(() => undefined);
    await closed.close();
    expect(await check('', { url: closed.url })).toMatchObject({ up: false, status: null, failure: 'connection' });
    const broken = { ...OWN, resolve: () => Promise.reject(new NameNotResolved('no address')) };
    expect(await check('', { url: 'http://nowhere.example/' }, broken)).toMatchObject({ failure: 'dns' });
    const https = await startHttpsServer(['other.example'], (_, reply) => reply.end());
    expect(await check('', { url: `https://127.0.0.1:${https.port}/` })).toMatchObject({ failure: 'tls' });
    await https.close();
  });

  it('goes to public addresses alone, and so does each redirect', async () => {
    const resolve = (name: string) => Promise.resolve([name === 'ours.example' ? '127.0.0.1' : '10.0.0.7']);
    const guard = { resolve, allows: (address: string) => address === '127.0.0.1' || isPublicAddress(address) };
    const at = (path: string) => ({ url: `http://ours.example:${server.port}${path}` });
    expect(await check('', at('/'), guard)).toMatchObject(UP);
    for (const to of ['http://private.example/', 'http://169.254.169.254/latest', 'http://[::1]/', 'http://0x7f.2/'])
      expect(await check('', at(`/moved?${to}`), guard)).toMatchObject({ status: null, failure: 'address' });
    for (const url of [server.url, `http://[::1]:${server.port}/`, `http://2130706433:${server.port}/`])
      expect(await check('', { url }, { resolve: resolveName })).toMatchObject({ failure: 'address' });
  });

  it('resolves names as this machine does where its own network may be checked', async () => {
    const url = `http://localhost:${server.port}/`;
    expect(await check('', { url }, { resolve: resolveLocally, allows: () => true })).toMatchObject(UP);
    await expect(resolveLocally('no-such-name.invalid')).rejects.toBeInstanceOf(NameNotResolved);
  });
});

const UP = { up: true, status: 200, failure: null };
const UP404 = { up: true, status: 404, failure: null };
const OWN = { allows: () => true, resolve: resolveLocally };

let server: HttpServer;
let sent = 0;

const settings = (path: string, more: Partial<GivenSettings> = {}): GivenSettings => ({
  url: server.url.slice(0, -1) + path,
  method: 'GET',
  timeoutSeconds: 10,
  expectedStatus: null,
  expectedText: null,
  headers: {},
  ...more,
});

const check = (path: string, more: Partial<GivenSettings> = {}, guard: Parameters<typeof checkAddress>[1] = OWN) =>
  checkAddress(settings(path, more), guard, new AbortController().signal);

const respond: RequestListener = ({ url = '' }, reply) => {
  const path = url.split('?', 1).join();
  const query = url.slice(url.indexOf('?') + 1);
  if (path === '/kept') reply.writeHead(308, { location: query }).end();
  else if (path === '/moved') reply.writeHead(302, { location: query }).end();
  else if (path === '/status') reply.writeHead(Number(query)).end();
  else if (path === '/pieces') {
    const bytes = Buffer.from('all is wöll');
    reply.write(bytes.subarray(0, 9)); // within a character
    setTimeout(() => reply.end(bytes.subarray(9)), 20);
  } else if (path === '/endless') {
    const more = () => {
      sent += 65_536;
      if (reply.write('x'.repeat(65_536))) setImmediate(more);
    };
    reply.on('drain', more);
    more();
  } else if (path === '/slow') setInterval(() => reply.write('x'), 20).unref();
  else if (path !== '/silent') reply.end('all is wöll here');
};

beforeEach(async () => {
  server = await startHttpServer(respond);
});

afterEach(() => server.close());
