import { ask, type Answer } from '@test/api/ask';
import { ownerWithWebsite, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { fakeOnly } from '@test/processes/fake-timers';
import { waitUntil } from '@test/wait-until';

describe('an API key', () => {
  it('is changed field by field, and cleared with null', async () => {
    const key = await created({ description: 'Old', tags: ['a'] });
    const sent = {
      name: 'New',
      description: null,
      scopes: ['read:data', 'read:audit'],
      resources: { [`website:${owner.websiteId}`]: ['read:data'] },
      tags: ['b', 'c'],
      expiresAt: '2099-01-01T00:00:00+01:00',
      rateLimit: { max: 5, windowSeconds: 60 },
    };
    const { status, body, headers } = await change('PATCH', key, '', sent);
    expect(status).toBe(200);
    expect(headers['x-log-position']).toMatch(/^e:\d+$/);
    expect(body).toEqual({
      ...key.record,
      ...sent,
      expiresAt: '2098-12-31T23:00:00.000Z',
      updatedAt: expect.stringMatching(/Z$/) as string,
      revision: 1,
    });
    expect((await read(key)).body).toEqual(body);
    const cleared = await change('PATCH', key, '', { resources: null, tags: null, expiresAt: null, rateLimit: null });
    expect(cleared.body).toMatchObject({ resources: null, tags: [], expiresAt: null, rateLimit: null, name: 'New' });
  });

  it('is refused while it is disabled, and accepted again', async () => {
    const key = await created();
    expect((await change('PATCH', key, '', { enabled: false })).body).toMatchObject({ enabled: false, revision: 1 });
    expect(await use(key.secret)).toBe(401);
    expect((await change('PATCH', key, '', { enabled: true })).body).toMatchObject({ enabled: true, revision: 2 });
    expect(await use(key.secret)).toBe(200);
  });

  it('records nothing when a change changes nothing', async () => {
    const key = await created();
    for (const body of [{}, { enabled: true }, { name: 'Server', tags: [] }]) {
      const answer = await change('PATCH', key, '', body);
      expect([answer.status, answer.body]).toEqual([200, key.record]);
      expect(answer.headers['x-log-position']).toMatch(/^e:\d+$/);
    }
  });

  it('takes a new secret when rotated, and the old one is refused', async () => {
    const key = await created();
    const { status, body, headers } = await change('POST', key, '/rotate');
    expect(status).toBe(200);
    expect(headers['x-log-position']).toMatch(/^e:\d+$/);
    const { secret } = body as { secret: string };
    expect(secret).toMatch(/^svc_[A-Za-z0-9]{48}$/);
    expect(body).toMatchObject({ id: key.id, start: secret.slice(0, 8), revision: 1, revokedAt: null });
    expect([await use(key.secret), await use(secret)]).toEqual([401, 200]);
    const again = (await change('POST', key, '/rotate')).body as { secret: string };
    expect([await use(secret), await use(again.secret)]).toEqual([401, 200]);
  });

  it('is rotated while it is disabled, and stays so', async () => {
    const key = await created();
    await change('PATCH', key, '', { enabled: false });
    const { body } = await change('POST', key, '/rotate');
    expect(body).toMatchObject({ enabled: false });
    expect(await use(body.secret as string)).toBe(401);
    await change('PATCH', key, '', { enabled: true });
    expect(await use(body.secret as string)).toBe(200);
  });

  it('is revoked for good', async () => {
    const key = await created();
    const { status, body } = await change('POST', key, '/revoke');
    expect([status, body]).toEqual([
      200,
      { ...key.record, revokedAt: body.updatedAt, updatedAt: expect.stringMatching(/Z$/) as string, revision: 1 },
    ]);
    expect(await use(key.secret)).toBe(401);
    expect((await read(key)).body).toEqual(body);
    for (const [method, path, sent] of [
      ['POST', '/revoke', undefined],
      ['POST', '/rotate', undefined],
      ['PATCH', '', { enabled: true }],
      ['PATCH', '', {}],
    ] as const)
      expect(await change(method, key, path, sent)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  it('is gone when it is deleted, revoked or not', async () => {
    for (const before of ['', '/revoke']) {
      const key = await created();
      if (before !== '') await change('POST', key, before);
      const { status, text, headers } = await change('DELETE', key);
      expect([status, text]).toEqual([204, '']);
      expect(headers['x-log-position']).toMatch(/^e:\d+$/);
      expect(await use(key.secret)).toBe(401);
      const list = await ask(api, `GET /v1/api-keys?organizationId=${owner.organizationId}`, owner);
      expect(list.text).not.toContain(key.id);
      const refused = [
        await read(key),
        await change('DELETE', key),
        await change('PATCH', key, '', { enabled: true }),
        await change('POST', key, '/rotate'),
        await change('POST', key, '/revoke'),
      ];
      expect(refused.map(({ status: each, body }) => [each, body.code])).toEqual(Array(5).fill([404, 'NOT_FOUND']));
    }
  });

  it('is rotated and revoked once under one Idempotency-Key', async () => {
    const key = await created();
    const once = { 'idempotency-key': 'once' };
    const first = await change('POST', key, '/rotate', undefined, once);
    const [second, third] = await Promise.all([0, 1].map(() => change('POST', key, '/rotate', undefined, once)));
    for (const repeat of [second!, third!]) {
      expect(repeat.status).toBe(200);
      expect(repeat.body).toEqual({ ...first.body, lastUsedAt: repeat.body.lastUsedAt, secret: null, replayed: true });
    }
    expect(await use(first.body.secret as string)).toBe(200);
    const revoked = await change('POST', key, '/revoke', undefined, once);
    expect(revoked.status).toBe(200);
    expect(await change('POST', key, '/revoke', undefined, once)).toMatchObject({ status: 200, body: { revision: 2 } });
    const other = await created();
    expect((await change('POST', other, '/rotate', undefined, once)).status).toBe(409);
  });

  it('is changed only at the revision that If-Match names', async () => {
    const key = await created();
    const at = (revision: string) => ({ 'if-match': revision });
    const changes = [
      () => change('PATCH', key, '', { name: 'A' }, at('1')),
      () => change('PATCH', key, '', {}, at('1')),
      () => change('POST', key, '/rotate', undefined, at('1')),
      () => change('POST', key, '/revoke', undefined, at('1')),
      () => change('DELETE', key, '', undefined, at('1')),
    ];
    for (const each of changes) expect(await each()).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect((await read(key)).body).toEqual(key.record);
    expect((await change('PATCH', key, '', { name: 'A' }, at('"0"'))).status).toBe(200);
    expect((await change('POST', key, '/revoke', undefined, at('1'))).status).toBe(200);
    const malformed = await change('DELETE', key, '', undefined, at('W/"2"'));
    expect([malformed.status, malformed.body.details]).toMatchObject([400, [{ field: 'If-Match' }]]);
    expect((await change('DELETE', key, '', undefined, at('2'))).status).toBe(204);
  });

  it('names every wrong field of a change', async () => {
    const key = await created();
    const { status, body } = await change('PATCH', key, '', {
      name: null,
      scopes: null,
      enabled: 'yes',
      description: 7,
      tags: Array.from({ length: 11 }, (_, n) => `${n}`),
      resources: { 'website:nope': [] },
      expiresAt: '2020-01-01T00:00:00Z',
      rateLimit: { max: 1 },
      organizationId: 'org_other',
      secret: 'svc_',
    });
    const fields = new Set((body.details as { field: string }[]).map(({ field }) => field));
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    const optional = ['description', 'tags', 'resources', 'expiresAt', 'rateLimit.windowSeconds'];
    expect(fields).toEqual(new Set(['name', 'scopes', 'enabled', ...optional, 'organizationId', 'secret']));
    const stranger = await ownerWithWebsite(api);
    const foreign = await change('PATCH', key, '', { resources: { [`website:${stranger.websiteId}`]: [] } });
    expect([foreign.status, foreign.body.details]).toMatchObject([400, [{ message: 'No such website' }]]);
  });

  it('belongs to the owners and admins of its organization alone', async () => {
    const key = await created();
    const stranger = await ownerWithWebsite(api);
    const person = await signUp(api);
    const requests = [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/rotate'],
      ['POST', '/revoke'],
      ['DELETE', ''],
    ] as const;
    for (const [method, path] of requests) {
      const body = method === 'PATCH' ? { body: { name: 'Mine' } } : {};
      const as = (headers: Record<string, string>) =>
        ask(api, `${method} /v1/api-keys/${key.id}${path}`, { ...body, headers });
      expect(await as(stranger.headers)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      expect(await as(person.headers)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      expect(await as({ 'x-api-key': key.secret })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    expect((await read(key)).body).toMatchObject({ revision: 0 });
  });

  it('shows when it was used last, whichever secret it had', async () => {
    const key = await created();
    expect(await use(key.secret)).toBe(200);
    const lastUsedAt = await waitUntil(
      async () => (await read(key)).body.lastUsedAt as string | null,
      (at) => at !== null,
    );
    expect(Date.parse(lastUsedAt as string)).toBeGreaterThan(Date.parse(key.record.createdAt as string) - 1);
    expect((await change('POST', key, '/rotate')).body).toMatchObject({ lastUsedAt });
    expect((await change('POST', key, '/revoke')).body).toMatchObject({ lastUsedAt });
  });

  it('has its own rate limit as soon as that is changed', async () => {
    const key = await created();
    const limit = async () => {
      const { headers, status } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key.secret } });
      return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], status];
    };
    await change('PATCH', key, '', { rateLimit: { max: 2, windowSeconds: 3_600 } });
    expect([await limit(), await limit(), await limit()]).toEqual([
      ['2', '1', 200],
      ['2', '0', 200],
      ['2', '0', 429],
    ]);
    await change('PATCH', key, '', { rateLimit: null });
    expect((await limit())[2]).toBe(200);
  });

  it('is refused from its changed expiry on', async () => {
    const key = await created();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await change('PATCH', key, '', { expiresAt });
    expect(await use(key.secret)).toBe(200);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.parse(expiresAt) + 1 });
    const status = await use(key.secret);
    jest.useRealTimers();
    expect(status).toBe(401);
  });
});

interface Key {
  readonly id: string;
  readonly secret: string;
  /** As it was created, without the secret. */
  readonly record: Answer['body'];
}

let api: TestApi;
let owner: Owner;

async function created(more: object = {}): Promise<Key> {
  const { organizationId } = owner;
  const body = { organizationId, name: 'Server', scopes: ['read:data'], ...more };
  const { secret, ...record } = (await ask(api, 'POST /v1/api-keys', { body, headers: owner.headers })).body;
  return { id: record.id as string, secret: secret as string, record };
}

const change = (
  method: 'PATCH' | 'POST' | 'DELETE',
  { id }: Key,
  path = '',
  body?: object,
  headers: Record<string, string> = {},
) =>
  ask(api, `${method} /v1/api-keys/${id}${path}`, {
    headers: { ...owner.headers, ...headers },
    ...(body ? { body } : {}),
  });

const read = ({ id }: Key) => ask(api, `GET /v1/api-keys/${id}`, owner);

const use = async (secret: string) =>
  (await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': secret } })).status;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
