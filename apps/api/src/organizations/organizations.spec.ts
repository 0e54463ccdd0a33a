import { ask } from '../../../../test/api/ask';
import { newKey, ownerWithWebsite, signUp } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';

describe('organizations', () => {
  it('belong to the person who creates them', async () => {
    const person = await signUp(api);
    const { status, body } = await ask(api, 'POST /v1/organizations', { body: { name: ' Acme ' }, ...person });
    expect({ status, name: body.name, ownerId: body.ownerId }).toEqual({
      status: 201,
      name: 'Acme',
      ownerId: person.id,
    });
    expect(body.id).toMatch(/^org_[0-9A-Z]{26}$/);
    expect((await ask(api, 'GET /v1/organizations', person)).body).toEqual({ success: true, data: [body], total: 1 });
    expect((await ask(api, `GET /v1/organizations/${body.id as string}`, person)).body).toEqual(body);
    expect((await ask(api, 'GET /v1/organizations', await signUp(api))).body).toMatchObject({ total: 0 });
  });

  it('are created once under one Idempotency-Key', async () => {
    const person = await signUp(api);
    const headers = { ...person.headers, 'idempotency-key': 'one' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask(api, 'POST /v1/organizations', { body: { name: 'Acme' }, headers })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });
});

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

let api: TestApi;
beforeAll(async () => void (api = await startTestApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '1000' })));
afterAll(() => api.close());
