import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../../tokens';

const ADA = { email: 'ada@example.com', password: 'correct horse battery' };

describe('an account', () => {
  it('leaves neither user agent nor address of its person behind', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11)', 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body: ADA, headers })).status).toBe(200);
    const { rows } = await pool().query('select to_jsonb(s)::text as row from auth.session s');
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toMatch(/Mozilla|203\.0\.113\.9/);
  });

  it('is answered without the token of its session, which is in a cookie that pages cannot read', async () => {
    for (const rememberMe of [true, false]) {
      const body = { ...ADA, rememberMe };
      const { status, body: answer, cookies, text } = await ask(api, 'POST /v1/auth/sign-in/email', { body });
      expect(status).toBe(200);
      expect(answer).toEqual({ user: ACCOUNT });
      const session = cookies.find((cookie) => cookie.startsWith('ledgerline.session_token='));
      expect(session).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/i);
      expect(/Max-Age/i.test(session!)).toBe(rememberMe);
      const token = decodeURIComponent(/=([^;]*)/.exec(session!)?.[1] ?? '').split('.')[0]!;
      expect(token.length).toBeGreaterThan(20);
      expect(text).not.toContain(token);
    }
  });

  it('has a session until it signs out', async () => {
    const { headers } = await signUp(api);
    const { status, body } = await ask(api, 'GET /v1/auth/get-session', { headers });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        user: ACCOUNT,
        session: { createdAt: expect.any(String) as string, expiresAt: expect.any(String) as string },
        isOperator: false,
      },
    });
    expect((await ask(api, 'GET /v1/organizations', { headers })).status).toBe(200);
    const signedOut = await ask(api, 'POST /v1/auth/sign-out', { headers });
    expect([signedOut.status, signedOut.body]).toEqual([200, { success: true }]);
    expect(signedOut.cookies.join()).toMatch(/ledgerline\.session_token=; Max-Age=0/i);
    expect((await ask(api, 'GET /v1/organizations', { headers })).status).toBe(401);
    const after = await ask(api, 'GET /v1/auth/get-session', { headers });
    expect([after.status, after.text, after.headers['content-type']]).toEqual([
      200,
      'null',
      'application/json; charset=utf-8',
    ]);
  });

  it('can be signed out of twice, and without a session', async () => {
    expect((await ask(api, 'POST /v1/auth/sign-out', { body: {} })).status).toBe(200);
  });

  it.each([
    ['a body that says nothing', 'sign-up', {}, ['email', 'password', 'name']],
    ['an address that is none', 'sign-up', { ...ADA, name: 'B', email: 'b@example' }, ['email']],
    ['a password too short', 'sign-up', { ...ADA, name: 'B', password: 'x'.repeat(9) }, ['password']],
    ['a password too long', 'sign-up', { ...ADA, name: 'B', password: 'x'.repeat(129) }, ['password']],
    ['a name with a control character', 'sign-up', { ...ADA, name: 'a\u0000b' }, ['name']],
    ['a field that does not exist', 'sign-up', { ...ADA, name: 'B', role: 'admin' }, ['role']],
    [
      'fields of wrong types',
      'sign-in',
      { email: {}, password: ['x'], rememberMe: 'yes' },
      ['email', 'password', 'rememberMe'],
    ],
  ])('names every wrong field of %s', async (_, what, body, fields) => {
    const answer = await ask(api, `POST /v1/auth/${what}/email`, { body });
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status: 400,
      body: { success: false, code: 'VALIDATION_ERROR', requestId: answer.headers['x-request-id'] },
    });
    expect(fieldsOf(answer.body).sort()).toEqual([...fields].sort());
  });

  it('is one per address, in whatever case', async () => {
    const body = { email: 'Ada@Example.com', password: 'y'.repeat(12), name: 'A' };
    const { status, body: answer } = await ask(api, 'POST /v1/auth/sign-up/email', { body });
    expect([status, answer.code]).toEqual([409, 'CONFLICT']);
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body: { ...ADA, email: 'ADA@example.com' } })).status).toBe(
      200,
    );
  });

  it.each([
    ['a wrong password', 'ada@example.com', 'y'.repeat(12)],
    ['an address without an account', 'nobody@example.com', 'y'.repeat(12)],
    ['a password shorter than any that is accepted', 'ada@example.com', 'y'],
  ])('refuses %s as every wrong credential', async (_, email, password) => {
    const {
      status,
      headers,
      body: said,
    } = await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password } });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Bearer resource_metadata="/);
    expect(said).toEqual({
      success: false,
      code: 'AUTH_REQUIRED',
      error: 'Authentication required',
      requestId: headers['x-request-id'],
    });
  });

  it.each(OTHER_ROUTES())('has no route of the library that is not meant: %s', async (route) => {
    const { headers } = ada;
    const { status, body } = await ask(api, route, route.startsWith('GET') ? { headers } : { headers, body: {} });
    expect([status < 404 || status > 405, body.code, body.success]).toEqual([false, expect.any(String), false]);
  });

  it('is not managed with an API key', async () => {
    const owner = await ownerWithWebsite(api);
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    const body = { currentPassword: 'correct horse battery', newPassword: 'y'.repeat(12) };
    expect((await ask(api, 'POST /v1/auth/change-password', { headers, body })).status).toBe(403);
  });

  it('is unavailable, not wrong, while its database is away; a session is not reported as ended then', async () => {
    const { headers } = await signUp(api);
    const away = jest.spyOn(Pool.prototype, 'connect').mockImplementation(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    const answers = [];
    for (const route of ['GET /v1/auth/get-session', 'POST /v1/auth/sign-out', 'GET /v1/organizations'] as const)
      answers.push(await ask(api, route, { headers }));
    answers.push(await ask(api, 'POST /v1/auth/sign-in/email', { body: ADA }));
    away.mockRestore();
    for (const { status, body, headers: sent, cookies } of answers)
      expect([status, body.code, Number(sent['retry-after']) > 0, cookies]).toEqual([
        503,
        'SERVICE_UNAVAILABLE',
        true,
        [],
      ]);
    expect((await ask(api, 'GET /v1/organizations', { headers })).status).toBe(200);
  });

  it.each(['http://evil.example/v1/auth/get-session', 'HTTP://me@evil.example:8080/v1/auth/get-session'])(
    'is asked for at home, whatever host the request names before its path: %s',
    async (target) => expect([200, 400, 404]).toContain(await sent(target)),
  );

  it('is not asked for below a doubled slash', async () =>
    expect(await sent('//evil.example/v1/auth/get-session')).toBe(404));
});

describe('the account routes', () => {
  it('take 30 requests a minute from an address, together, but for the session', async () => {
    await pool().query('delete from request_counts');
    const limited = await startTestApi();
    const statuses = [];
    for (let n = 0; n < 16; n++) {
      statuses.push((await ask(limited, 'POST /v1/auth/sign-up/email', { body: {} })).status);
      statuses.push((await ask(limited, 'POST /v1/auth/sign-in/email', { body: {} })).status);
    }
    const session = await ask(limited, 'GET /v1/auth/get-session');
    await limited.close();
    expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 400));
    expect(statuses.slice(30)).toEqual([429, 429]);
    expect(session.status).toBe(200); // each load of a page asks for it
  });
});

describe('on https', () => {
  it.each([
    ['a dashboard of the same site', 'https://stats.example.com', 'https://example.com', 'Lax'],
    ['a dashboard below the api', 'https://example.com', 'https://app.example.com', 'Lax'],
    ['a dashboard of another site', 'https://stats.example.com', 'https://app.example.org', 'None'],
    ['a dashboard in development', 'https://stats.example.com', 'http://localhost:5173', 'None'],
  ])('the cookie is Secure, and fits %s', async (_, PUBLIC_API_URL, DASHBOARD_ORIGINS, sameSite) => {
    const secure = await startTestApi({ PUBLIC_API_URL, DASHBOARD_ORIGINS });
    const body = { ...ADA, name: 'Ada' };
    const headers = { origin: DASHBOARD_ORIGINS };
    const { cookies } = await ask(secure, 'POST /v1/auth/sign-up/email', { body, headers });
    const cookie = cookies[0]!.split(';')[0]!;
    const { body: session } = await ask(secure, 'GET /v1/auth/get-session', { headers: { cookie } });
    await secure.close();
    expect(cookie).toMatch(/^__Secure-ledgerline\.session_token=/);
    expect(cookies[0]).toMatch(new RegExp(`; HttpOnly; Secure; SameSite=${sameSite}$`, 'i'));
    expect(session).toMatchObject({ user: { email: ADA.email } });
  });
});

/** Everything else that the library could answer, and what it could not. */
function OTHER_ROUTES() {
  return [
    ...['get-session', 'sign-in/social', 'sign-up', 'sign-in'].map((path) => `POST /v1/auth/${path}` as const),
    ...['verify-password', 'set-password', 'update-session', 'revoke-session', 'revoke-sessions', 'link-social'].map(
      (path) => `POST /v1/auth/${path}` as const,
    ),
    ...['list-sessions', 'list-accounts', 'delete-user/callback', 'reset-password/token', 'ok'].map(
      (path) => `GET /v1/auth/${path}` as const,
    ),
    ...['error', 'callback/github', 'account-info', 'sign-in/email', '', 'some-route'].map(
      (path) => `GET /v1/auth/${path}` as const,
    ),
  ];
}

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

const ACCOUNT = {
  id: expect.stringMatching(/^usr_/) as string,
  email: expect.stringMatching(/@example\.com$/) as string,
  name: 'Ada',
  createdAt: expect.stringMatching(/Z$/) as string,
  updatedAt: expect.stringMatching(/Z$/) as string,
};

const fieldsOf = (body: Readonly<Record<string, unknown>>) =>
  (body.details as { field: string }[]).map(({ field }) => field);

const pool = () => api.app.get<Pool>(POOL);

let api: TestApi;
let ada: { headers: { cookie: string } };

beforeAll(async () => {
  api = await startTestApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
  const { cookies } = await ask(api, 'POST /v1/auth/sign-up/email', { body: { ...ADA, name: 'Ada' } });
  ada = { headers: { cookie: cookies.map((each) => each.split(';')[0]).join('; ') } };
});

afterAll(() => api.close());
