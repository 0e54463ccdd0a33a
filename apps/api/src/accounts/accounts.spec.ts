import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from 'pg';
import { ask } from '../../../../test/api/ask';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { POOL } from '../tokens';
import { Accounts } from './accounts';

describe('an account', () => {
  it('leaves neither user agent nor address of its person behind', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11)', 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body: ADA, headers })).status).toBe(200);
    const { rows } = await api.app.get<Pool>(POOL).query('select to_jsonb(s)::text as row from auth.session s');
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toMatch(/Mozilla|203\.0\.113\.9/);
  });

  it.each([
    ['a body that says nothing', 'sign-up', {}, 400, 'VALIDATION_ERROR'],
    ['a password too short', 'sign-up', { email: 'b@example.com', password: 'x', name: 'B' }, 400, 'VALIDATION_ERROR'],
    [
      'an address that has an account',
      'sign-up',
      { email: 'ada@example.com', password: 'y'.repeat(12), name: 'A' },
      409,
      'CONFLICT',
    ],
  ])('refuses %s in the words of the library, by a code of ours', async (_, what, body, status, code) => {
    const answer = await ask(api, `POST /v1/auth/${what}/email`, { body });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { success: false, code, error: expect.any(String) as string, requestId: answer.headers['x-request-id'] },
    });
    expect(answer.body.error).not.toBe('The request was refused');
  });

  it.each([
    ['a wrong password', 'ada@example.com'],
    ['an address without an account', 'nobody@example.com'],
  ])('refuses %s as every wrong credential', async (_, email) => {
    const body = { email, password: 'y'.repeat(12) };
    const { status, headers, body: said } = await ask(api, 'POST /v1/auth/sign-in/email', { body });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Bearer resource_metadata="/);
    expect(said).toEqual({
      success: false,
      code: 'AUTH_REQUIRED',
      error: 'Authentication required',
      requestId: headers['x-request-id'],
    });
  });

  it('refuses pages of other origins as whatever is not permitted', async () => {
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', { body: ADA });
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    const headers = { cookie, origin: 'https://evil.example' };
    const { status, body } = await ask(api, 'POST /v1/auth/sign-out', { body: {}, headers });
    expect([status, body.code, body.error]).toEqual([403, 'FORBIDDEN', 'Insufficient permissions']);
    expect(body).not.toHaveProperty('message');
  });

  it.each([
    [401, 'AUTH_REQUIRED', 401],
    [403, 'FORBIDDEN', 403],
    [404, 'NOT_FOUND', 404],
    [405, 'VALIDATION_ERROR', 400],
    [409, 'CONFLICT', 409],
    [422, 'VALIDATION_ERROR', 400],
    [429, 'RATE_LIMITED', 429],
    [500, 'INTERNAL', 500],
    [503, 'SERVICE_UNAVAILABLE', 503],
  ])('answers the library’s %i as %s', async (status, code, ours) => {
    const said = Response.json({ code: 'SOME_CODE', message: 'Some words' }, { status });
    jest.spyOn(api.app.get(Accounts), 'handle').mockResolvedValueOnce(said);
    const answer = await ask(api, 'GET /v1/auth/some-route');
    expect([answer.status, answer.body.code]).toEqual([ours, code]);
    expect(answer.body).not.toHaveProperty('message');
  });

  it('sends browsers on where the library does', async () => {
    const elsewhere = new Response(null, { status: 302, headers: { location: '/elsewhere' } });
    jest.spyOn(api.app.get(Accounts), 'handle').mockResolvedValueOnce(elsewhere);
    const { status, headers, text } = await ask(api, 'GET /v1/auth/some-route');
    expect([status, headers.location, text]).toEqual([302, '/elsewhere', '']);
  });

  it.each([
    '/v1/auth/some-route?a=//b?c',
    'http://evil.example/v1/auth/some-route?a=//b?c',
    'HTTP://me@evil.example:8080/v1/auth/some-route?a=//b?c',
  ])('is asked for at home, whatever host the request names before its path: %s', async (target) => {
    const handle = jest.spyOn(api.app.get(Accounts), 'handle').mockResolvedValueOnce(Response.json({}));
    await sent(target);
    expect(handle.mock.lastCall?.[0].url).toBe('http://localhost:3000/v1/auth/some-route?a=//b?c');
    handle.mockRestore();
  });

  it('is not asked for below a doubled slash', async () =>
    expect(await sent('//evil.example/v1/auth/some-route')).toBe(404));
});

/** Sends the target as it stands, which clients of a higher level would not; answers the status. */
async function sent(path: string): Promise<number | undefined> {
  const server = createServer(api.app.getHttpServer().listeners('request')[0] as RequestListener).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [answer] = (await once(get({ host: '127.0.0.1', port, path, agent: false }), 'response')) as [IncomingMessage];
  answer.resume();
  server.close();
  return answer.statusCode;
}

const ADA = { email: 'ada@example.com', password: 'correct horse battery' };

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
  await ask(api, 'POST /v1/auth/sign-up/email', { body: { ...ADA, name: 'Ada' } });
});

afterAll(() => api.close());
