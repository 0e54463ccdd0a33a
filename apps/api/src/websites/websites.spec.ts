import { ask } from '@test/api/ask';
import { colleague, newKey, ownerWithWebsite, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const NOTES = ['Sessions and events of more than 30 days ago are deleted, from a day after that was set on.'];

describe('websites', () => {
  it('are registered with a normalised domain and the defaults', async () => {
    const owner = await ownerWithWebsite(api);
    const body = { organizationId: owner.organizationId, name: 'Shop', domain: ' HTTPS://Shop.Example.COM/x ' };
    const answer = await ask(api, 'POST /v1/websites', { body, headers: owner.headers });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^site_[0-9A-Z]{26}$/) as string,
      organizationId: owner.organizationId,
      name: 'Shop',
      domain: 'shop.example.com',
      isPublic: false,
      allowedOrigins: [],
      timezone: 'UTC',
      visitorIdentity: 'daily',
      retentionDays: null,
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: answer.body.createdAt,
      revision: 0,
    });
    const list = await ask(api, `GET /v1/websites?organizationId=${owner.organizationId}`, owner);
    expect(list.body).toMatchObject({ total: 2, data: [{ id: owner.websiteId }, answer.body] });
  });

  it('name every wrong field', async () => {
    const owner = await ownerWithWebsite(api);
    const wrong = { name: 'x'.repeat(101), domain: 'no domain', timezone: 'Mars/Olympus', visitorIdentity: 'forever' };
    const body = { organizationId: owner.organizationId, ...wrong, isPublic: 'yes', allowedOrigins: ['a b'], zone: 1 };
    const answer = await ask(api, 'POST /v1/websites', { body, headers: owner.headers });
    expect(answer.status).toBe(400);
    const fields = new Set((answer.body.details as { field: string }[]).map(({ field }) => field));
    const names = ['name', 'domain', 'timezone', 'visitorIdentity', 'isPublic', 'allowedOrigins[0]', 'zone'];
    expect(fields).toEqual(new Set(names));
  });

  it('are shown to a key as far as it reaches', async () => {
    const owner = await ownerWithWebsite(api);
    const { organizationId, websiteId } = owner;
    const other = { organizationId, name: 'Other', domain: 'other.example' };
    const { body } = await ask(api, 'POST /v1/websites', { body: other, headers: owner.headers });
    const resources = { [`website:${websiteId}`]: [] };
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'], resources }) };
    const list = await ask(api, `GET /v1/websites?organizationId=${organizationId}`, { headers });
    expect(list.body).toMatchObject({ total: 1, data: [{ id: websiteId }] });
    expect((await ask(api, `GET /v1/websites/${websiteId}`, { headers })).status).toBe(200);
    expect((await ask(api, `GET /v1/websites/${body.id as string}`, { headers })).status).toBe(403);
  });
});

describe('a website', () => {
  it('is changed by what is sent, and keeps the rest', async () => {
    const owner = await ownerWithWebsite(api);
    const body = {
      name: ' New ',
      domain: 'NEW.example',
      isPublic: true,
      allowedOrigins: ['a.example'],
      retentionDays: 30,
    };
    const { status, body: changed, headers } = await patch(owner, body);
    expect({ status, changed }).toMatchObject({
      status: 200,
      changed: { ...body, name: 'New', domain: 'new.example', timezone: 'UTC', visitorIdentity: 'daily', revision: 1 },
    });
    expect(changed['notes']).toEqual(NOTES);
    expect(headers['x-log-position']).toMatch(/^e:/);
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toEqual(changed);
    expect((await patch(owner, { name: 'Newer' })).body).toMatchObject({
      ...changed,
      name: 'Newer',
      revision: 2,
      updatedAt: TIME,
    });
  });

  it('gets the default of a setting that is cleared', async () => {
    const owner = await ownerWithWebsite(api);
    await patch(owner, { isPublic: true, allowedOrigins: ['a.example'], visitorIdentity: 'stable', retentionDays: 30 });
    const cleared = { isPublic: null, allowedOrigins: null, visitorIdentity: null, retentionDays: null };
    expect((await patch(owner, cleared)).body).toMatchObject({
      isPublic: false,
      allowedOrigins: [],
      visitorIdentity: 'daily',
      retentionDays: null,
    });
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).not.toHaveProperty('notes');
  });

  it('does not get another revision by what changes nothing', async () => {
    const owner = await ownerWithWebsite(api);
    const { body } = await patch(owner, { name: 'Shop', timezone: 'UTC', retentionDays: null });
    expect(body).toMatchObject({ name: 'Shop', revision: 0 });
  });

  it.each([
    ['timezone', { timezone: 'Europe/Berlin' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['name', { name: null }],
    ['domain', { domain: 'no domain' }],
    ['isPublic', { isPublic: 'yes' }],
    ['allowedOrigins[0]', { allowedOrigins: [1] }],
    ['visitorIdentity', { visitorIdentity: 'forever' }],
    ['retentionDays', { retentionDays: 0 }],
    ['retentionDays', { retentionDays: 1.5 }],
    ['organizationId', { organizationId: 'org_1' }],
  ])('names the wrong field %s of a change: %j', async (field, body) => {
    const { status, body: refusal } = await patch(shared, body);
    expect({ status, refusal }).toMatchObject({
      status: 400,
      refusal: { code: 'VALIDATION_ERROR', details: [{ field }] },
    });
  });

  it('is changed and deleted only at the revision that If-Match names', async () => {
    const owner = await ownerWithWebsite(api);
    const headers = { ...owner.headers, 'if-match': '1' };
    expect((await patch(owner, { name: 'New' }, headers)).body).toMatchObject({ code: 'CONFLICT' });
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers })).status).toBe(409);
    expect((await patch(owner, { name: 'New' }, { ...headers, 'if-match': '"0"' })).status).toBe(200);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers })).status).toBe(204);
  });

  it('is gone once deleted', async () => {
    const owner = await ownerWithWebsite(api);
    const { status, headers, text } = await ask(api, `DELETE ${pathOf(owner)}`, owner);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers['x-log-position']).toMatch(/^e:/);
    expect(await ask(api, `GET /v1/websites?organizationId=${owner.organizationId}`, owner)).toMatchObject({
      body: { total: 0 },
    });
    for (const route of [`GET ${pathOf(owner)}`, `DELETE ${pathOf(owner)}`] as const)
      expect((await ask(api, route, owner)).body).toMatchObject(NOT_FOUND);
    expect((await patch(owner, { name: 'New' })).body).toMatchObject(NOT_FOUND);
    const query = { body: { parameters: ['top_pages'] }, headers: owner.headers };
    const answers = [owner.websiteId, 'site_unknown'].map((id) => ask(api, `POST /v1/query?website_id=${id}`, query));
    for (const answer of await Promise.all(answers)) expect(answer.body).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is not found by people and keys of other organizations', async () => {
    const stranger = await ownerWithWebsite(api);
    const key = { 'x-api-key': await newKey(api, stranger, { scopes: ['read:data', 'write:data'] }) };
    for (const headers of [stranger.headers, (await signUp(api)).headers, key])
      for (const id of [shared.websiteId, 'site_unknown'])
        for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
          const answer = await ask(
            api,
            `${method} /v1/websites/${id}`,
            method === 'PATCH' ? { headers, body: {} } : { headers },
          );
          expect({ method, id, ...answer }).toMatchObject({ status: 404, body: { error: 'Website not found' } });
        }
  });
});

describe('a website may be changed', () => {
  it('by admins, but not by members', async () => {
    const owner = await ownerWithWebsite(api);
    const admin = await colleague(api, owner, 'admin');
    const member = await colleague(api, owner, 'member');
    expect((await ask(api, `GET ${pathOf(owner)}`, member)).status).toBe(200);
    expect((await patch(owner, { name: 'New' }, member.headers)).body).toMatchObject(FORBIDDEN);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, member)).body).toMatchObject(FORBIDDEN);
    expect((await register(owner, {}, member.headers)).body).toMatchObject(FORBIDDEN);
    expect((await patch(owner, { name: 'New' }, admin.headers)).status).toBe(200);
    expect((await register(owner, {}, admin.headers)).status).toBe(201);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, admin)).status).toBe(204);
  });

  it('by keys with write:data on it', async () => {
    const owner = await ownerWithWebsite(api);
    const other = (await register(owner, {})).body.id as string;
    const resources = { [`website:${owner.websiteId}`]: [] };
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['write:data'], resources }) };
    expect((await patch(owner, { name: 'New' }, headers)).status).toBe(200);
    expect((await ask(api, `PATCH /v1/websites/${other}`, { body: { name: 'New' }, headers })).body).toMatchObject(
      FORBIDDEN,
    );
    expect((await register(owner, {}, headers)).body).toMatchObject(FORBIDDEN);
    const reader = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    expect((await patch(owner, { name: 'New' }, reader)).body).toMatchObject(FORBIDDEN);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers: reader })).body).toMatchObject(FORBIDDEN);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers })).status).toBe(204);
  });

  it('in its retention only by owners, who may also begin with one', async () => {
    const owner = await ownerWithWebsite(api);
    const admin = (await colleague(api, owner, 'admin')).headers;
    const key = { 'x-api-key': await newKey(api, owner, { scopes: ['write:data'] }) };
    for (const headers of [admin, key]) {
      expect((await patch(owner, { retentionDays: 30 }, headers)).body).toMatchObject(FORBIDDEN);
      expect((await register(owner, { retentionDays: 30 }, headers)).body).toMatchObject(FORBIDDEN);
      expect((await patch(owner, { name: 'New', retentionDays: null }, headers)).status).toBe(200);
      expect((await register(owner, { retentionDays: null }, headers)).body).toMatchObject({ retentionDays: null });
    }
    expect((await register(owner, { retentionDays: 30 })).body).toMatchObject({ retentionDays: 30, notes: NOTES });
    await patch(owner, { retentionDays: 30 });
    expect((await patch(owner, { retentionDays: 30, name: 'Newer' }, admin)).body).toMatchObject({ name: 'Newer' });
    expect((await patch(owner, { retentionDays: null }, admin)).body).toMatchObject(FORBIDDEN);
    expect((await ask(api, `GET ${pathOf(owner)}/retention?days=30`, { headers: admin })).body).toMatchObject(
      FORBIDDEN,
    );
    expect((await ask(api, `GET ${pathOf(owner)}/retention?days=0`, owner)).status).toBe(400);
  });
});

it('registering a website again under its Idempotency-Key finds the first one', async () => {
  const headers = { ...shared.headers, 'idempotency-key': 'register' };
  const first = await register(shared, {}, headers);
  const second = await register(shared, {}, headers);
  expect(second.body).toEqual(first.body);
  expect((await register(shared, { isPublic: true }, headers)).body).toMatchObject({ code: 'CONFLICT' });
});

const TIME = expect.stringMatching(/Z$/) as string;
const NOT_FOUND = { code: 'NOT_FOUND', error: 'Website not found' };
const FORBIDDEN = { code: 'FORBIDDEN', error: 'Insufficient permissions' };

let api: TestApi;
let shared: Owner;

const pathOf = ({ websiteId }: Owner) => `/v1/websites/${websiteId}` as const;

const patch = (owner: Owner, body: object, headers: Readonly<Record<string, string>> = owner.headers) =>
  ask(api, `PATCH ${pathOf(owner)}`, { body, headers });

const register = (owner: Owner, more: object, headers: Readonly<Record<string, string>> = owner.headers) => {
  const { organizationId } = owner;
  return ask(api, 'POST /v1/websites', {
    body: { organizationId, name: 'Other', domain: 'other.example', ...more },
    headers,
  });
};

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
  shared = await ownerWithWebsite(api);
});

afterAll(() => api.close());
