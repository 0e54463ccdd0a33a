import { RequestMethod } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Pool } from 'pg';
import { ask } from '../../../../test/api/ask';
import { newKey, ownerWithWebsite, signUp, type Owner } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { fakeOnly } from '../../../../test/processes/fake-timers';
import { POOL } from '../tokens';

/** Every route that needs a credential; a route added to the api must be added here. */
const PROTECTED = [
  'GET /v1/organizations',
  'POST /v1/organizations',
  'GET /v1/organizations/org_1',
  'PATCH /v1/organizations/org_1',
  'DELETE /v1/organizations/org_1',
  'GET /v1/organizations/org_1/members',
  'PATCH /v1/organizations/org_1/members/usr_1',
  'DELETE /v1/organizations/org_1/members/usr_1',
  'GET /v1/organizations/org_1/invitations',
  'POST /v1/organizations/org_1/invitations',
  'DELETE /v1/organizations/org_1/invitations/inv_1',
  'GET /v1/invitations',
  'POST /v1/invitations/inv_1/accept',
  'GET /v1/websites?organizationId=org_1',
  'POST /v1/websites',
  'GET /v1/websites/site_1',
  'PATCH /v1/websites/site_1',
  'DELETE /v1/websites/site_1',
  'GET /v1/links?organizationId=org_1',
  'POST /v1/links',
  'GET /v1/links/link_1',
  'GET /v1/api-keys?organizationId=org_1',
  'POST /v1/api-keys',
  'GET /v1/api-keys/key_1',
  'PATCH /v1/api-keys/key_1',
  'DELETE /v1/api-keys/key_1',
  'POST /v1/api-keys/key_1/rotate',
  'POST /v1/api-keys/key_1/revoke',
  'GET /v1/query/websites',
  'POST /v1/query?website_id=site_1',
] as const;

const OPEN = ['GET /health', 'GET /health/ready', 'GET /v1/query/types', 'GET /openapi.json'] as const;

const wrongKeys = (good: string): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  'an unknown key': { 'x-api-key': `svc_${'a'.repeat(48)}` },
  'an unknown bearer token': { authorization: `Bearer svc_${'a'.repeat(48)}` },
  'a key with one character more': { 'x-api-key': `${good}a` },
  'a key with one character less': { 'x-api-key': good.slice(0, -1) },
  'a key in the wrong case': { 'x-api-key': good.toUpperCase() },
  'an empty key': { 'x-api-key': '' },
  'a token that is no key': { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
  'a scheme we do not have': { authorization: `Basic ${Buffer.from(`user:${good}`).toString('base64')}` },
  'a good key under no scheme': { authorization: good },
  'two keys that differ': { 'x-api-key': good, authorization: `Bearer svc_${'b'.repeat(48)}` },
});

describe('access', () => {
  describe.each(PROTECTED)('%s', (route) => {
    it('is refused without a credential', async () => expect(await refusal(route, {})).toEqual(UNAUTHENTICATED));

    it('is refused with every kind of wrong credential', async () => {
      for (const [kind, headers] of Object.entries(wrongKeys(key)))
        expect({ kind, ...(await refusal(route, headers)) }).toEqual({ kind, ...UNAUTHENTICATED });
    });

    it('is refused with a forged, a foreign and an ended session', async () => {
      const forged = owner.headers.cookie.replace(/\.[^.;]*$/, '.forged');
      for (const cookie of ['ledgerline.session_token=x', forged, ended])
        expect(await refusal(route, { cookie })).toEqual(UNAUTHENTICATED);
    });
  });

  it.each(OPEN)('%s is open to all, but not to a wrong credential', async (route) => {
    expect((await ask(api, route)).status).toBe(200);
    expect((await ask(api, route, { headers: { cookie: ended } })).status).toBe(200);
    for (const [kind, headers] of Object.entries(wrongKeys(key)))
      expect({ kind, ...(await refusal(route, headers)) }).toEqual({ kind, ...UNAUTHENTICATED });
  });

  it('knows all routes there are', () => {
    const listed = [...PROTECTED, ...OPEN].map((route) =>
      route
        .replace(/\?.*/, '')
        .replace(/(org|site|link|key)_1/, ':id')
        .replace('usr_1', ':userId')
        .replace('inv_1', ':invitationId'),
    );
    expect(new Set(listed)).toEqual(new Set(routes().filter((route) => !route.includes('/v1/auth'))));
  });

  it('is forbidden to a key without the scope', async () => {
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['track:events'] }) };
    for (const route of PROTECTED.filter((each) => !each.startsWith('POST /v1/query')))
      expect({ route, ...(await refusal(route, headers)) }).toEqual({ route, ...FORBIDDEN });
  });

  it('is forbidden to a key of another resource', async () => {
    const resources = { [`website:${owner.websiteId}`]: ['read:data', 'write:data'] };
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: [], resources }) };
    const { organizationId } = owner;
    expect(await refusal(`GET /v1/links?organizationId=${organizationId}`, headers)).toEqual(FORBIDDEN);
    const body = { organizationId, name: 'x', targetUrl: 'https://example.com' };
    expect((await ask(api, 'POST /v1/links', { headers, body })).status).toBe(403);
  });

  it('does not exist for people of another organization', async () => {
    const stranger = await ownerWithWebsite(api);
    const { organizationId, websiteId } = owner;
    for (const path of [
      `organizations/${organizationId}`,
      `websites/${websiteId}`,
      `links?organizationId=${organizationId}`,
    ])
      expect((await ask(api, `GET /v1/${path}`, stranger)).body).toMatchObject({ code: 'NOT_FOUND' });
    const body = { organizationId, name: 'x', domain: 'example.com' };
    expect((await ask(api, 'POST /v1/websites', { headers: stranger.headers, body })).status).toBe(404);
  });

  it('takes both headers, and both at once when they agree', async () => {
    const sent: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
    ];
    for (const headers of [...sent, { 'x-api-key': key, authorization: `Bearer ${key}` }])
      expect((await ask(api, 'GET /v1/query/websites', { headers })).status).toBe(200);
  });

  it('is forbidden to changes that another origin’s page makes with a session', async () => {
    const body = { name: 'Forged' };
    const from = (origin: string) =>
      ask(api, 'POST /v1/organizations', { body, headers: { ...owner.headers, origin } });
    expect((await from('https://evil.example')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from('http://localhost:3000')).status).toBe(201);
  });

  it('of a key ends when it expires', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'], expiresAt }) };
    expect((await ask(api, 'GET /v1/query/websites', { headers })).status).toBe(200);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.parse(expiresAt) + 1 });
    const refused = await refusal('GET /v1/query/websites', headers);
    jest.useRealTimers();
    expect(refused).toEqual(UNAUTHENTICATED);
  });
});

const UNAUTHENTICATED = {
  status: 401,
  body: { success: false, error: 'Authentication required', code: 'AUTH_REQUIRED' },
  challenge: 'Bearer resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource"',
};

const FORBIDDEN = {
  status: 403,
  body: { success: false, error: 'Insufficient permissions', code: 'FORBIDDEN' },
  challenge: undefined,
};

let api: TestApi;
let owner: Owner;
let key: string;
let ended: string;

async function refusal(route: string, headers: Record<string, string>) {
  const body = route.startsWith('POST') ? { parameters: ['top_pages'] } : undefined;
  const answer = await ask(api, route as 'GET /', body ? { headers, body } : { headers });
  const { requestId, ...rest } = answer.body;
  expect(requestId).toBe(answer.headers['x-request-id']);
  return { status: answer.status, body: rest, challenge: answer.headers['www-authenticate'] };
}

/** As their controllers declare them: `GET /v1/links/:id`. */
function routes(): string[] {
  const modules = [...api.app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()].map(({ metatype }) => metatype));
  return controllers.flatMap((controller) => {
    const handlers = Object.values(Object.getOwnPropertyDescriptors(controller?.prototype ?? {}));
    return handlers.flatMap(({ value: handler }: { value?: unknown }) => {
      if (typeof handler !== 'function') return [];
      const path = Reflect.getMetadata('path', handler) as string | undefined;
      const method = RequestMethod[Reflect.getMetadata('method', handler) as number];
      const base = Reflect.getMetadata('path', controller!) as string;
      const whole = ['', base, path].join('/').replaceAll(/\/+/g, '/');
      return path === undefined || method === undefined ? [] : [`${method} ${whole.replace(/\/$/, '')}`];
    });
  });
}

beforeAll(async () => {
  api = await startTestApi({
    LIMIT_API_PER_MINUTE: '10000',
    LIMIT_FAILED_AUTH_PER_MINUTE: '10000',
    LIMIT_PUBLIC_PER_MINUTE: '10000',
    LIMIT_QUERY_ANONYMOUS_PER_MINUTE: '10000',
  });
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
  const gone = await signUp(api);
  await ask(api, 'POST /v1/auth/sign-out', { headers: { ...gone.headers, origin: 'http://localhost:3000' }, body: {} });
  ended = gone.headers.cookie;
  const database = api.app.get<Pool>(POOL); // a projector has run, or the api is not ready
  await database.query(`insert into projection_groups (name, live_version) values ('links', 1)`);
  await database.query(`
    insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
    values ('links', 1, 0, 'e', '')`);
});

afterAll(() => api.close());
