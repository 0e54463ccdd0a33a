import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { fakeOnly } from '@test/processes/fake-timers';

describe('API keys', () => {
  it('are created with a secret that works at once', async () => {
    const { status, body, headers } = await create({ name: 'Reporting', scopes: ['read:data'] });
    expect(status).toBe(201);
    expect(headers['x-log-position']).toMatch(/^e:\d+$/);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Z]{26}$/) as string,
      organizationId: owner.organizationId,
      name: 'Reporting',
      description: null,
      prefix: 'svc_',
      start: (body.secret as string).slice(0, 8),
      enabled: true,
      scopes: ['read:data'],
      resources: null,
      tags: [],
      rateLimit: null,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: body.createdAt,
      revision: 0,
      secret: expect.stringMatching(/^svc_[A-Za-z0-9]{48}$/) as string,
    });
    const asked = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': body.secret as string } });
    expect(asked.body).toMatchObject({ success: true, total: 1, websites: [{ id: owner.websiteId }] });
  });

  it('are listed newest first, without secrets', async () => {
    await create({ name: 'Older', scopes: ['read:data'] });
    await create({ name: 'Newer', scopes: ['read:data'] });
    const { status, body, text } = await ask(api, `GET /v1/api-keys?organizationId=${owner.organizationId}`, owner);
    expect(status).toBe(200);
    const [first, second] = body.data as { id: string; name: string }[];
    expect([first?.name, second?.name]).toEqual(['Newer', 'Older']);
    expect(text).not.toMatch(/svc_\w{9}|secret|hash/i);
    expect((await ask(api, `GET /v1/api-keys/${first!.id}`, owner)).body).toEqual(first);
  });

  it('repeat the first answer under one Idempotency-Key, but never the secret', async () => {
    const body = { name: 'Once', scopes: ['read:data'] };
    const first = await create(body, { 'idempotency-key': 'again' });
    const second = await create(body, { 'idempotency-key': 'again' });
    expect(second.status).toBe(201);
    expect(second.body).toEqual({ ...first.body, secret: null, replayed: true });
    expect((await create({ ...body, name: 'Other' }, { 'idempotency-key': 'again' })).status).toBe(409);
  });

  it('repeat the first answer after they have expired, and begin before they expire', async () => {
    const headers = { 'idempotency-key': 'expires' };
    const body = { name: 'Brief', scopes: ['read:data'], expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const first = await create(body, headers);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.parse(body.expiresAt) });
    const second = await create(body, headers);
    const refused = await create(body);
    jest.useRealTimers();
    expect([second.status, second.body]).toEqual([201, { ...first.body, secret: null, replayed: true }]);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { code: 'VALIDATION_ERROR', details: [{ field: 'expiresAt', message: 'expiresAt must lie in the future.' }] },
    ]);
  });

  it('make one key of many simultaneous repetitions', async () => {
    const body = { name: 'Storm', scopes: ['read:data'] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(body, { 'idempotency-key': 'storm' })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    const secrets = answers.flatMap((answer) => (answer.body.secret === null ? [] : [answer.body.secret as string]));
    expect(secrets).toHaveLength(1);
    const asked = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': secrets[0]! } });
    expect(asked.status).toBe(200);
  });

  it('cannot be managed with a key', async () => {
    const secret = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
    const body = { organizationId: owner.organizationId, name: 'Child', scopes: ['read:data'] };
    expect((await ask(api, 'POST /v1/api-keys', { body, headers: { 'x-api-key': secret } })).status).toBe(403);
  });

  it('are nobody else’s business', async () => {
    const stranger = await ownerWithWebsite(api);
    const { body } = await create({ name: 'Mine', scopes: ['read:data'] });
    expect((await ask(api, `GET /v1/api-keys/${body.id as string}`, stranger)).status).toBe(404);
    expect((await ask(api, `GET /v1/api-keys?organizationId=${owner.organizationId}`, stranger)).status).toBe(404);
    expect((await ask(api, `GET /v1/api-keys/${body.id as string}`, await signUp(api))).status).toBe(404);
  });

  it('name every wrong field', async () => {
    const { status, body } = await create({
      name: '',
      scopes: ['read:everything'],
      tags: ['a\u0001', 'b\n'],
      expiresAt: 'tomorrow',
      rateLimit: { max: 0, windowSeconds: 60 },
      resources: { 'website:nope': [] },
      scope: [],
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
    const fields = (body.details as { field: string; suggestion?: string }[]).map(({ field }) => field);
    expect(new Set(fields)).toEqual(
      new Set(['name', 'scopes[0]', 'tags[0]', 'tags[1]', 'expiresAt', 'rateLimit.max', 'resources', 'scope']),
    );
    expect(body.details).toContainEqual({
      field: 'scope',
      message: 'Is not a known field.',
      suggestion: 'scopes',
    });
  });

  it('are neither rotated, revoked nor deleted by a request with fields in its body', async () => {
    const { body: key } = await create({ name: 'X', scopes: ['read:data'] });
    const send = (route: 'POST' | 'DELETE', action: string, body: object) =>
      ask(api, `${route} /v1/api-keys/${key.id as string}${action}`, { body, headers: owner.headers });
    for (const [method, action] of [
      ['POST', '/rotate'],
      ['POST', '/revoke'],
      ['DELETE', ''],
    ] as const) {
      const { status, body } = await send(method, action, { reason: 'leaked', other: 1 });
      expect([status, body.details]).toMatchObject([400, [{ field: 'reason' }, { field: 'other' }]]);
    }
    expect((await send('POST', '/rotate', {})).body).toMatchObject({ revision: 1 });
  });

  it('reach at most 250 websites by name', async () => {
    const named = (count: number) => {
      const ids = Array.from({ length: count }, (_, n) => `website:site_01KAJ4Q7ZJ8M3V5T9X2C6D${1_000 + n}`);
      return Object.fromEntries(ids.map((id) => [id, ['read:data']]));
    };
    const tooMany = await create({ name: 'X', scopes: ['read:data'], resources: named(251) });
    expect(tooMany.body).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'resources', message: expect.stringContaining('at most 250') as string }],
    });
    const unknown = await create({ name: 'X', scopes: ['read:data'], resources: named(250) });
    expect(unknown.body.details).toHaveLength(20);
    expect(unknown.body.error).toContain('230 more');
    const twice = { global: ['read:data', 'read:data'] };
    expect((await create({ name: 'X', scopes: ['read:data'], resources: twice })).body).toMatchObject({
      details: [{ field: 'resources' }],
    });
  });

  it('reach only websites of their own organization', async () => {
    const stranger = await ownerWithWebsite(api);
    const { status, body } = await create({
      name: 'X',
      scopes: ['read:data'],
      resources: { [`website:${stranger.websiteId}`]: [] },
    });
    expect(status).toBe(400);
    expect(body.details).toEqual([{ field: `resources.website:${stranger.websiteId}`, message: 'No such website' }]);
  });
});

let api: TestApi;
let owner: Owner;

const create = (body: object, headers: Record<string, string> = {}) =>
  ask(api, 'POST /v1/api-keys', {
    body: { organizationId: owner.organizationId, ...body },
    headers: { ...owner.headers, ...headers },
  });

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
