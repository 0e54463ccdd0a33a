import { ask, type Answer } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const DASHBOARD = 'https://app.example.com';
const OTHER_DASHBOARD = 'http://localhost:5173';
const OWN = 'http://localhost:3000';

/** Origins that look like one of a dashboard, and those of pages without one. */
const FOREIGN = [
  'https://evil.example',
  'null',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com.evil.example',
  'https://evil-app.example.com',
  'https://x.app.example.com',
  'https://app.example.com/',
  'HTTPS://APP.EXAMPLE.COM',
  'http://localhost:3001',
  '',
];

describe('a page of a dashboard', () => {
  it.each([DASHBOARD, OTHER_DASHBOARD])('may ask before it sends a request: %s', async (origin) => {
    for (const path of ['/v1/organizations', '/v1/auth/sign-in/email', '/v1/query?website_id=x', '/v1/links/link_1']) {
      const answer = await preflight(path, origin);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expectReadable(answer, origin);
      const { headers } = answer;
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      const allowed = headers['access-control-allow-headers']!.toLowerCase().split(', ');
      expect(allowed).toEqual(expect.arrayContaining(SENT_HEADERS));
      expect(headers['access-control-max-age']).toBe('600');
      expect(headers['x-request-id']).toBeTruthy();
    }
  });

  it('signs in, changes things and reads the answers', async () => {
    const headers = { origin: DASHBOARD, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    const body = { email: 'dash@example.com', password: 'correct horse battery', name: 'Dash' };
    const signedUp = await ask(api, 'POST /v1/auth/sign-up/email', { body, headers });
    const cookie = signedUp.cookies.map((each) => each.split(';')[0]).join('; ');
    const created = await ask(api, 'POST /v1/organizations', { body: { name: 'A' }, headers: { ...headers, cookie } });
    const read = await ask(api, 'GET /v1/organizations', { headers: { ...headers, cookie } });
    const out = await ask(api, 'POST /v1/auth/sign-out', { body: {}, headers: { ...headers, cookie } });
    expect([signedUp, created, read, out].map(({ status }) => status)).toEqual([200, 201, 200, 200]);
    for (const answer of [signedUp, created, read, out]) expectReadable(answer, DASHBOARD);
    expect(created.headers['access-control-expose-headers']).toContain('X-Log-Position');
  });

  it('uses public routes with credentials, with any header', async () => {
    const path = `/public/v1/flags/bulk?clientId=${owner.websiteId}`;
    const sent = { origin: DASHBOARD, 'access-control-request-method': 'GET' };
    const asked = { ...sent, 'access-control-request-headers': 'x-sdk' };
    const before = await ask(api, `OPTIONS ${path}`, { headers: asked });
    expect([before.status, before.headers['access-control-allow-headers']]).toEqual([204, 'x-sdk']);
    const answer = await ask(api, `GET ${path}`, { headers: { ...owner.headers, origin: DASHBOARD } });
    expect([answer.status, answer.headers['cross-origin-resource-policy']]).toEqual([200, 'cross-origin']);
    for (const each of [before, answer]) expectReadable(each, DASHBOARD);
    const foreign = await ask(api, `GET ${path}`, { headers: { origin: 'https://shop.example' } });
    expect(foreign.headers['access-control-allow-origin']).toBe('*');
    expect(foreign.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('reads errors too, whoever answers them', async () => {
    const sent = { origin: DASHBOARD };
    const answers = [
      await ask(api, 'GET /v1/organizations', { headers: sent }),
      await ask(api, 'GET /v1/nothing', { headers: sent }),
      await ask(api, 'DELETE /v1/organizations', { headers: sent }),
      await ask(api, 'GET /v1/links/%zz', { headers: sent }),
      await ask(api, 'POST /v1/auth/sign-in/email', {
        body: '{',
        headers: { ...sent, 'content-type': 'application/json' },
      }),
      await ask(api, 'POST /v1/auth/sign-in/email', {
        body: 'a=b',
        headers: { ...sent, 'content-type': 'text/plain' },
      }),
      await ask(api, 'GET /v1/query/types', { headers: { ...sent, 'x-api-key': 'wrong' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 405, 400, 400, 415, 401]);
    for (const answer of answers) expectReadable(answer, DASHBOARD);
  });
});

describe('a page of another origin', () => {
  it.each(FOREIGN)('gets no leave to send a request with credentials: %j', async (origin) => {
    const answer = await preflight('/v1/organizations', origin);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectUnreadable(answer);
  });

  it.each(FOREIGN)('cannot read what a session may: %j', async (origin) => {
    const answer = await ask(api, 'GET /v1/organizations', { headers: { ...owner.headers, origin } });
    expectUnreadable(answer);
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it.each(FOREIGN)('cannot change anything with a session: %j', async (origin) => {
    for (const [route, body] of CHANGES) {
      const answer = await ask(api, route, { body, headers: { ...owner.headers, origin } });
      expect({ route, status: answer.status, code: answer.body.code }).toEqual({ route, ...FORBIDDEN });
      expectUnreadable(answer);
    }
    expect((await ask(api, 'GET /v1/organizations', owner)).body.data).toHaveLength(1);
  });

  it.each(FOREIGN)('cannot sign a browser in, up or out: %j', async (origin) => {
    const body = { email: 'victim@example.com', password: 'correct horse battery', name: 'V' };
    for (const path of ['sign-up/email', 'sign-in/email', 'sign-out', 'request-password-reset', 'reset-password']) {
      const answer = await ask(api, `POST /v1/auth/${path}`, { body, headers: { origin } });
      expect([answer.status < 300, answer.cookies]).toEqual([false, []]);
      expectUnreadable(answer);
    }
    const { status } = await ask(api, 'POST /v1/auth/sign-in/email', {
      body: { email: body.email, password: body.password },
    });
    expect(status).toBe(401);
  });
});

it('a page at another name of the same server may do what one at its public address may', async () => {
  const headers = { ...owner.headers, origin: 'http://127.0.0.1:3000' };
  const body = { currentPassword: 'not the password', newPassword: 'another password' };
  const changedBy = async (site: string) =>
    (await ask(api, 'POST /v1/auth/change-password', { body, headers: { ...headers, 'sec-fetch-site': site } })).status;
  expect([await changedBy('same-origin'), await changedBy('same-site'), await changedBy('cross-site')]).toEqual([
    400, 403, 403,
  ]);
});

describe('a request without an origin', () => {
  it.each(['cross-site', 'same-site'])('changes nothing when its page is %s', async (site) => {
    for (const [route, body] of CHANGES) {
      const headers = { ...owner.headers, 'sec-fetch-site': site };
      const answer = await ask(api, route, { body, headers });
      expect({ route, status: answer.status, code: answer.body.code }).toEqual({ route, ...FORBIDDEN });
    }
  });

  it.each<Record<string, string>>([{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}])(
    'changes something when no foreign page sent it: %j',
    async (sent) => {
      const headers = { ...owner.headers, ...sent };
      const body = { currentPassword: 'not the password', newPassword: 'another password' };
      expect((await ask(api, 'POST /v1/auth/change-password', { body, headers })).status).toBe(400);
    },
  );

  it('is as free to read as before', async () => {
    const answer = await ask(api, 'GET /v1/organizations', owner);
    expect(answer.status).toBe(200);
    expectUnreadable(answer);
  });
});

it('our own pages need no leave', async () => {
  const headers = { ...owner.headers, origin: OWN };
  const body = { currentPassword: 'not the password', newPassword: 'another password' };
  expect((await ask(api, 'POST /v1/auth/change-password', { body, headers })).status).toBe(400);
});

it('a form of another site is refused, with and without an origin', async () => {
  const senders: Record<string, string>[] = [{}, { origin: 'https://evil.example' }, { origin: DASHBOARD }];
  for (const sent of senders)
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
      const headers = { ...owner.headers, ...sent, 'content-type': type };
      const { status } = await ask(api, 'POST /v1/organizations', { body: '{"name":"Forged"}', headers });
      expect([403, 415]).toContain(status);
    }
});

it('a key is a credential that a page sends on purpose, and works from any origin', async () => {
  const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }), origin: 'https://shop.example' };
  const answer = await ask(api, 'GET /v1/query/websites', { headers });
  expect(answer.status).toBe(200);
  expectUnreadable(answer);
});

it('a preflight is counted by its address, and refused where nothing is left of the budget', async () => {
  const limited = await startTestApi({ DASHBOARD_ORIGINS: DASHBOARD, LIMIT_API_PER_MINUTE: '3' });
  const answers: Answer[] = [];
  for (const origin of [DASHBOARD, 'https://evil.example', DASHBOARD, DASHBOARD])
    answers.push(await preflight('/v1/organizations', origin, limited));
  await limited.close();
  expect(answers.map(({ status }) => status)).toEqual([204, 405, 204, 429]);
  expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
  expect(answers[3]!.body.code).toBe('RATE_LIMITED');
  expectReadable(answers[3]!, DASHBOARD);
});

it('without dashboards no origin is let in', async () => {
  const closed = await startTestApi();
  const { headers } = await ask(closed, 'GET /health', { headers: { origin: DASHBOARD } });
  await closed.close();
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

const FORBIDDEN = { status: 403, code: 'FORBIDDEN' };

const SENT_HEADERS = [
  ...['content-type', 'idempotency-key', 'if-match', 'x-min-position', 'x-request-id', 'x-api-key', 'authorization'],
  'x-correlation-id',
];

const CHANGES = [
  ['POST /v1/organizations', { name: 'Forged' }],
  ['POST /v1/auth/sign-out', {}],
  ['POST /v1/auth/change-password', { currentPassword: 'correct horse battery', newPassword: 'of an attacker' }],
  ['POST /v1/query?website_id=site_1', { parameters: ['top_pages'] }],
] as const;

function expectReadable({ headers }: Answer, origin: string): void {
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: expect.stringMatching(/\bOrigin\b/) as string,
  });
  for (const name of ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'])
    expect(headers['access-control-expose-headers']).toContain(name);
}

function expectUnreadable({ headers }: Answer): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  expect(headers.vary).toMatch(/\bOrigin\b/);
}

const preflight = (path: string, origin: string, on = api) =>
  ask(on, `OPTIONS ${path}`, {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });

let api: TestApi;
let owner: Owner;

beforeAll(async () => {
  api = await startTestApi({
    DASHBOARD_ORIGINS: `${DASHBOARD}, ${OTHER_DASHBOARD}`,
    LIMIT_FAILED_AUTH_PER_MINUTE: '10000',
    LIMIT_API_PER_MINUTE: '10000',
  });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
