import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { startTestApi } from '../api/test-api';
import { startTracker } from '../tracker/running-tracker';
import { rawExchange, rawResponses, type RawResponse } from './raw-exchange';
import { plausibleRequest, routesOf } from './route-requests';

const ORIGIN = 'https://shop.example';
const TIMEOUT_MS = 400;

interface Host {
  readonly name: 'api' | 'tracker';
  readonly app: NestFastifyApplication;
  readonly port: number;
  /** A route that takes bodies. */
  readonly path: string;
  stop(): Promise<void>;
}

async function startHost(name: Host['name'], { limit = '40', requestTimeoutMs = 30_000 } = {}): Promise<Host> {
  const host = { requestTimeoutMs };
  const variables = {
    LIMIT_API_PER_MINUTE: limit,
    LIMIT_AUDIT_EXPORT_PER_MINUTE: limit,
    LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: limit,
  };
  const started = name === 'api' ? await startTestApi(variables, host) : await startTracker(variables, host);
  if (!started.app.getHttpServer().listening) await started.app.listen(0, '127.0.0.1');
  const { port } = started.app.getHttpServer().address() as AddressInfo;
  const stop = 'close' in started ? started.close : started.stop;
  return { name, app: started.app, port, path: name === 'api' ? '/v1/organizations' : '/track', stop };
}

describe.each(['api', 'tracker'] as const)('the %s', (name) => {
  let shared: Host;
  let own: Host | undefined;
  let host: Host;
  beforeAll(async () => (shared = await startHost(name, { limit: '1000' })));
  beforeEach(() => (host = shared));
  afterEach(() => own?.stop().finally(() => (own = undefined)));
  afterAll(() => shared.stop());

  /** A host that has counted nothing yet. */
  const startOwn = async (options?: Parameters<typeof startHost>[1]) => {
    own = await startHost(name, options);
    host = own;
    return own;
  };

  const request = (line: string, headers: readonly string[] = [], body = '') =>
    `${line} HTTP/1.1\r\nHost: x\r\nOrigin: ${ORIGIN}\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n${body}`;
  const send = (...chunks: readonly string[]) => rawExchange(host.port, ...chunks);
  const json = 'Content-Type: application/json';

  it('refuses in one form what Node’s parser cannot read', async () => {
    const refused = await send(`GET / HTTP/1.1\r\nOrigin: ${ORIGIN}\r\nX-Request-ID: trace-1\r\nbro ken: x\r\n\r\n`);
    expectRefusal(refused, 400, 'VALIDATION_ERROR', host);
    expect(refused.headers['x-request-id']).toBe('trace-1');
    expectRefusal(await send(`garbage\r\nOrigin: ${ORIGIN}\r\n\r\n`), 400, 'VALIDATION_ERROR', host);
    expectRefusal(await send(request(`POST ${host.path}`, ['Content-Length: ten'])), 400, 'VALIDATION_ERROR', host);
    expectRefusal(
      await send(request(`POST ${host.path}`, [json, 'Transfer-Encoding: chunked'], 'zz\r\n')),
      400,
      'VALIDATION_ERROR',
      host,
    );
  });

  it('refuses a request without Host, and an address that cannot be read', async () => {
    const noHost = `GET /health HTTP/1.1\r\nOrigin: ${ORIGIN}\r\n\r\n`;
    expectRefusal(await send(noHost), 400, 'VALIDATION_ERROR', host);
    expectRefusal(await send(request('GET /%zz')), 400, 'VALIDATION_ERROR', host);
  });

  it('refuses the target of OPTIONS * for other methods, with the headers of every response', async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expectRefusal(await send(request(`${method} *`)), 404, 'NOT_FOUND', host);
  });

  it('refuses headers that are too large', async () =>
    expectRefusal(await send(request('GET /health', [`X-Big: ${'x'.repeat(20_000)}`])), 431, 'VALIDATION_ERROR', host));

  it('refuses expectations that it cannot meet, and meets 100-continue', async () => {
    expectRefusal(await send(request('GET /health', ['Expect: a-miracle'])), 417, 'VALIDATION_ERROR', host);
    const [interim] = await rawResponses(host.port, 1, [
      request(`POST ${host.path}`, [json, 'Content-Length: 1', 'Expect: 100-continue']),
    ]);
    expect(interim?.status).toBe(100);
  });

  it('refuses methods that a path does not have, with those it has', async () => {
    for (const method of ['PUT', 'DELETE', 'TRACE', 'PURGE', 'SEARCH', 'FOO']) {
      const refused = await send(request(`${method} ${host.path}?a=b`));
      expectRefusal(refused, 405, 'METHOD_NOT_ALLOWED', host);
      expect(refused.headers['allow']?.split(', ')).toContain('POST');
    }
    const refused = await send(request('CONNECT example.com:443'));
    expectRefusal(refused, 405, 'METHOD_NOT_ALLOWED', host);
    expect(refused.headers['allow']).toContain('GET');
  });

  it('takes every path with a slash at its end as the one without', async () => {
    const { app } = await startOwn({ limit: '100000' });
    const known = { id: 'abc', '*': 'abc' };
    for (const route of routesOf(app)) {
      const { method, path } = plausibleRequest(route, known);
      const statusOf = async (url: string) =>
        (await app.inject({ method: method as 'GET', url, headers: { origin: ORIGIN } })).statusCode;
      expect([route, await statusOf(`${path.replace(/\/$/, '')}/?a=b`)]).toEqual([route, await statusOf(path)]);
    }
  });

  it('answers OPTIONS as the only preflight it knows', async () => {
    const answered = await send(request(`OPTIONS ${host.path}`));
    if (name === 'tracker') expect(answered.status).toBe(204);
    else expectRefusal(answered, 405, 'METHOD_NOT_ALLOWED', host);
  });

  it('counts preflights by address, and refuses those over the limit only', async () => {
    await startOwn();
    const answers: RawResponse[] = [];
    for (let n = 0; n < 41; n++) answers.push(await send(request(`OPTIONS ${host.path}`)));
    const allowed = name === 'tracker' ? 204 : 405;
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(40).fill(allowed), 429]);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(
      [...Array.from({ length: 40 }, (_, n) => 39 - n), 0].map(String),
    );
    expectRefusal(answers[40], 429, 'RATE_LIMITED', host);
    if (name === 'tracker') expect((await send(request('GET /no/such/route'))).status).toBe(404);
  });

  it('ends headers and bodies that do not arrive in time', async () => {
    await startOwn({ requestTimeoutMs: TIMEOUT_MS });
    expectRefusal(await send(`GET /health HTTP/1.1\r\nHost: x\r\nOri`), 408, 'REQUEST_TIMEOUT', host, false);
    const trickled = await send(
      request(`POST ${host.path}`, [json, 'Content-Length: 100', 'X-Request-ID: slow'], '{"a'),
    );
    expectRefusal(trickled, 408, 'REQUEST_TIMEOUT', host);
    expect(trickled.headers['x-request-id']).toBe('slow');
  });

  it('refuses a body over 1 MiB', async () => {
    const announced = request(`POST ${host.path}`, [json, 'Content-Length: 2000000']);
    expectRefusal(await send(announced), 413, 'PAYLOAD_TOO_LARGE', host);
    const chunk = `${(500_000).toString(16)}\r\n${'x'.repeat(500_000)}\r\n`;
    const chunked = request(`POST ${host.path}`, [json, 'Transfer-Encoding: chunked']);
    expectRefusal(await send(chunked, chunk, chunk, chunk), 413, 'PAYLOAD_TOO_LARGE', host);
  });

  it('refuses a content type that is none', async () =>
    expectRefusal(
      await send(request(`POST ${host.path}`, ['Content-Type: nonsense', 'Content-Length: 2'], '{}')),
      415,
      'VALIDATION_ERROR',
      host,
    ));

  it('counts all of that by address, and then refuses it for that', async () => {
    await startOwn();
    const bad = `GET / HTTP/1.1\r\nOrigin: ${ORIGIN}\r\nbro ken: x\r\n\r\n`;
    expect((await send(bad)).headers).toMatchObject({ 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '39' });
    expect((await send(request('GET /no/such/route'))).headers['x-ratelimit-remaining']).toBe('38');
    expect((await send(request(`DELETE ${host.path}`))).headers['x-ratelimit-remaining']).toBe('37');
    await Promise.all(Array.from({ length: 37 }, () => send(bad)));
    const refused = await send(bad);
    expectRefusal(refused, 429, 'RATE_LIMITED', host);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('reflects nothing of what it was sent', async () => {
    const refused = await send(request('GET /no/such/<script>', ['X-Request-ID: <b>']));
    expect(JSON.stringify(refused)).not.toContain('<');
    const odd = await send(`GET / HTTP/1.1\r\nOrigin: x\u00e9\r\nX-Request-ID: a"b\r\nbro ken: x\r\n\r\n`);
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('refuses requests that arrive while it stops, on connections that are open', async () => {
    await startOwn();
    let stopping: Promise<void> | undefined;
    const first = request(`POST ${host.path}`, [json, 'Content-Length: 2'], '{');
    const answers = await rawResponses(host.port, 2, [first, `}${request('GET /health')}`], async () => {
      await once(host.app.getHttpServer(), 'request');
      stopping = host.app.getHttpAdapter().close() as Promise<void>;
    });
    await stopping;
    expect(answers[0]?.status).toBeLessThan(500);
    expectRefusal(answers[1], 503, 'SERVICE_UNAVAILABLE', host);
    expect(Number(answers[1]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('stops beside a connection on which nothing is sent, as browsers open them in advance', async () => {
    await startOwn();
    const accepted = once(host.app.getHttpServer(), 'connection');
    const idle = connect(host.port, '127.0.0.1');
    await accepted;
    await Promise.all([once(idle.resume(), 'close'), host.app.getHttpAdapter().close()]);
  });
});

function expectRefusal(
  refused: RawResponse | undefined,
  status: number,
  code: string,
  { name }: Host,
  hasOrigin = true,
): void {
  const { headers = {}, body = {} } = refused ?? {};
  expect({ status: refused?.status, body }).toEqual({
    status,
    body: {
      success: false,
      ...(name === 'tracker' ? { status: 'error', message: body['error'] } : {}),
      error: expect.stringMatching(/^[A-Z]/) as string,
      code,
      requestId: headers['x-request-id'],
    },
  });
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (status !== 503) expect(headers).toHaveProperty('x-ratelimit-remaining');
  if (name === 'tracker' && hasOrigin) expect(headers['access-control-allow-origin']).toBe(ORIGIN);
}
