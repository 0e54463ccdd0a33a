import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { ownerWithWebsite, PASSWORD, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { waitUntil } from '@test/wait-until';
import { COUNT_POOL, POOL } from '../tokens';
import { hashPrincipal } from './limits.module';

describe('the limits of requests', () => {
  it('count one budget per principal across routes, and say so on every answer', async () => {
    const left = async (path: string) => {
      const { status, headers } = await ask(api, `GET ${path}` as 'GET /', owner);
      const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = headers;
      return { status, limit, remaining };
    };
    await setHits(`api:${owner.id}`, 17);
    expect(await left('/v1/organizations')).toEqual({ status: 200, limit: '20', remaining: '2' });
    expect(await left('/v1/links/nope')).toEqual({ status: 404, limit: '20', remaining: '1' });
    expect(await left('/v1/links')).toEqual({ status: 400, limit: '20', remaining: '0' });
    expect(await left('/v1/organizations')).toEqual({ status: 429, limit: '20', remaining: '0' });
  });

  it('count what is refused before a route: unknown ones, other methods, bodies of any kind', async () => {
    const left = async (route: string, body?: string, type = 'application/json') => {
      const headers = { ...owner.headers, 'content-type': type };
      const answer = await ask(api, route as 'GET /', body === undefined ? { headers } : { headers, body });
      return [answer.status, answer.headers['x-ratelimit-remaining']];
    };
    await setHits(`api:${owner.id}`, 13);
    expect(await left('GET /v1/nothing')).toEqual([404, '6']);
    expect(await left('DELETE /v1/links')).toEqual([405, '5']);
    expect(await left('POST /v1/organizations', '{')).toEqual([400, '4']);
    expect(await left('POST /v1/organizations', 'x', 'text/plain')).toEqual([415, '3']);
    expect(await left('GET /v1/links/%zz')).toEqual([400, '2']);
    expect(await left('POST /v1/organizations', 'x'.repeat(1024 * 1024 + 1))).toEqual([413, '1']);
    await pool().query(`update request_counts set hits = 20`);
    expect(await left('GET /v1/nothing')).toEqual([429, '0']);
  });

  it('count a body that cannot be read against the budget of its route', async () => {
    const headers = { ...owner.headers, 'content-type': 'application/json' };
    const answer = await ask(api, 'POST /v1/query?website_id=x', { headers, body: '{' });
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '119' });
  });

  it('count changes that another origin’s page makes with a session', async () => {
    const headers = { ...owner.headers, origin: 'https://evil.example' };
    const answer = await ask(api, 'POST /v1/organizations', { headers, body: { name: 'x' } });
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([403, '19']);
  });

  it('refuse with the time to wait, and forget after it', async () => {
    await setHits(`api:${owner.id}`, 20);
    const { status, body, headers } = await ask(api, 'GET /v1/organizations', owner);
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers['x-ratelimit-reset']).toBe(headers['retry-after']);
    await pool().query(`update request_counts set resets_at = clock_timestamp()`);
    expect((await ask(api, 'GET /v1/organizations', owner)).status).toBe(200);
  });

  it('of other routes never refuse a probe', async () => {
    await setHits('public:ip:127.0.0.1', 600);
    const statuses = [];
    for (const path of ['/v1/query/types', '/health', '/metrics'] as const)
      statuses.push((await ask(api, `GET ${path}`)).status);
    expect(statuses).toEqual([429, 200, 200]);
  });

  it('of probes are counted in the process, whose answer no store delays, and by address alone', async () => {
    const counting = jest.spyOn(api.app.get<Pool>(COUNT_POOL), 'query');
    const headers = { 'x-api-key': 'guess', cookie: owner.headers.cookie };
    const answers = [await ask(api, 'GET /health', { headers }), await ask(api, 'GET /health')];
    const statements = counting.mock.calls.length;
    counting.mockRestore();
    const [first, second] = answers.map((answer) => Number(answer.headers['x-ratelimit-remaining']));
    expect([answers.map(({ status }) => status), second, statements]).toEqual([[200, 200], first! - 1, 0]);
  });

  it('of sign-ins count those that fail', async () => {
    const { email } = owner;
    const signIn = async (given: string) =>
      (await ask(api, 'POST /v1/auth/sign-in/email', { body: { email, password: given } })).status;
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push(await signIn(PASSWORD), await signIn('wrong horse'));
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 5 }, () => [200, 401]).flat());
    expect(statuses.slice(10)).toEqual([429, 429, 429, 429]);
  });

  it('of passwords of shares count those that are wrong, of each share alone', async () => {
    const right = 'correct horse battery';
    const share = async () => {
      const body = { organizationId: owner.organizationId, websiteId: owner.websiteId, name: 'Board', password: right };
      const { url } = (await ok(api, 'POST /v1/shares', { body, headers: owner.headers })).body;
      return async (password: string) =>
        (await ask(api, `POST ${new URL(url as string).pathname}/password`, { body: { password } })).status;
    };
    const one = await share();
    const other = await share();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push(await one(right), await one('wrong horse battery'));
    expect(statuses).toEqual([...Array.from({ length: 5 }, () => [204, 400]).flat(), 429, 429]);
    expect(await other(right)).toBe(204);
    const body = { email: owner.email, password: PASSWORD };
    expect((await ask(api, 'POST /v1/auth/sign-in/email', { body })).status).toBe(200);
  });

  it('of passwords hold for a key that carries its own, too', async () => {
    const rateLimit = { max: 1_000, windowSeconds: 60 };
    const grants = { organizationId: owner.organizationId, name: 'x', scopes: ['read:data'], rateLimit };
    const created = await ok(api, 'POST /v1/api-keys', { body: grants, headers: owner.headers });
    const headers = { 'x-api-key': created.body.secret as string };
    const body = { email: owner.email, password: 'wrong horse' };
    const statuses = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await ask(api, 'POST /v1/auth/sign-in/email', { body, headers })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('count wrong credentials by address', async () => {
    const guess = async () => (await ask(api, 'GET /v1/query/types', { headers: { 'x-api-key': 'guess' } })).status;
    await pool().query('delete from request_counts');
    const answers: number[] = [];
    for (let n = 0; n < 7; n++) answers.push(await guess());
    expect(answers).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await ask(api, 'GET /v1/query/types')).status).toBe(200);
  });

  it('are those a key carries itself, where it does', async () => {
    await pool().query('delete from request_counts');
    const body = {
      organizationId: owner.organizationId,
      name: 'x',
      scopes: ['read:data'],
      rateLimit: { max: 2, windowSeconds: 60 },
    };
    const created = await ask(api, 'POST /v1/api-keys', { body, headers: owner.headers });
    const headers = { 'x-api-key': created.body.secret as string };
    const statuses = [];
    for (const path of ['/v1/query/types', '/v1/query/websites', '/openapi.json'] as const)
      statuses.push((await ask(api, `GET ${path}`, { headers })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('go on in each process while Postgres cannot count, and a metric and one line say so', async () => {
    const failures = async () => Number(/^ledgerline_request_count_failures_total (\d+)$/m.exec(await metrics())?.[1]);
    const before = await failures();
    const counting = jest.spyOn(api.app.get<Pool>(COUNT_POOL), 'query').mockImplementation(() => {
      throw new Error('away');
    });
    const { status, headers } = await ask(api, 'GET /v1/query/types');
    await ask(api, 'GET /v1/query/types');
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', {
      body: { email: owner.email, password: PASSWORD },
    });
    counting.mockRestore();
    expect({ status, remaining: headers['x-ratelimit-remaining'] }).toEqual({ status: 200, remaining: '599' });
    expect(signedIn.status).toBe(200); // its failure is given back where it can be
    expect(await failures()).toBeGreaterThanOrEqual(before + 3);
    const lines = (text: string) => api.log.filter((line) => line.includes(text));
    expect(lines('requests cannot be counted for their limits')).toHaveLength(1);
    await waitUntil(async () => {
      await ask(api, 'GET /v1/query/types');
      return lines('requests are counted for their limits').length === 1;
    });
  });
});

let api: TestApi;
let owner: Owner;

const pool = () => api.app.get<Pool>(POOL);
const metrics = async () => (await ask(api, 'GET /metrics')).text;

const setHits = (principal: string, hits: number) =>
  pool().query(
    `insert into request_counts values ($1, $2, clock_timestamp() + interval '1 minute')
     on conflict (principal) do update set hits = excluded.hits, resets_at = excluded.resets_at`,
    [hashPrincipal(principal, api.settings.keyPepper), hits],
  );

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '20', LIMIT_FAILED_AUTH_PER_MINUTE: '5' });
  owner = await ownerWithWebsite(api);
});

beforeEach(() => pool().query('delete from request_counts'));
afterAll(() => api.close());
