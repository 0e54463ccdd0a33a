import { ask } from '@test/api/ask';
import { colleague, newKey, ownerWithWebsite, signUp, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

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

describe('an organization', () => {
  it('is renamed by owners and admins, but not by members', async () => {
    const { owner, admin, member, path } = await team();
    const renamed = await ask(api, `PATCH ${path}`, { body: { name: ' New ' }, headers: owner.headers });
    expect(renamed).toMatchObject({ status: 200, body: { id: owner.organizationId, name: 'New', ownerId: owner.id } });
    expect(renamed.headers['x-log-position']).toMatch(/^e:/);
    expect((await ask(api, `GET ${path}`, member)).body).toEqual(renamed.body);
    const rename = ({ headers }: Person) => ask(api, `PATCH ${path}`, { body: { name: 'Newer' }, headers });
    expect((await rename(member)).body).toMatchObject(FORBIDDEN);
    expect((await rename(admin)).body).toMatchObject({ name: 'Newer', revision: Number(renamed.body.revision) + 1 });
  });

  it('keeps its revision when nothing is changed', async () => {
    const owner = await ownerWithWebsite(api);
    for (const body of [{}, { name: 'Acme' }])
      expect(await ask(api, `PATCH ${pathOf(owner)}`, { body, headers: owner.headers })).toMatchObject({
        status: 200,
        body: { name: 'Acme', revision: 0 },
      });
  });

  it.each([{ name: '' }, { name: null }, { name: 'x'.repeat(101) }, { ownerId: 'usr_1' }])(
    'is not changed by %j',
    async (body) => {
      const { status, body: refusal } = await ask(api, `PATCH ${pathOf(shared)}`, { body, headers: shared.headers });
      expect({ status, refusal }).toMatchObject({
        status: 400,
        refusal: { details: [{ field: Object.keys(body)[0] }] },
      });
    },
  );

  it('is changed and deleted only at the revision that If-Match names', async () => {
    const owner = await ownerWithWebsite(api);
    const headers = { ...owner.headers, 'if-match': '7' };
    expect((await ask(api, `PATCH ${pathOf(owner)}`, { body: { name: 'B' }, headers })).body).toMatchObject(CONFLICT);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers })).body).toMatchObject(CONFLICT);
    const right = { ...headers, 'if-match': '"0"' };
    expect((await ask(api, `PATCH ${pathOf(owner)}`, { body: { name: 'B' }, headers: right })).status).toBe(200);
    expect((await ask(api, `DELETE ${pathOf(owner)}`, { headers: { ...right, 'if-match': '1' } })).status).toBe(204);
  });

  it('is deleted by its owners only, with all that it has', async () => {
    const { owner, admin, member, path } = await team();
    const key = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'] }) };
    for (const person of [admin, member])
      expect((await ask(api, `DELETE ${path}`, person)).body).toMatchObject(FORBIDDEN);
    const deletion = await ask(api, `DELETE ${path}`, owner);
    expect({ status: deletion.status, text: deletion.text }).toEqual({ status: 204, text: '' });
    expect(deletion.headers['x-log-position']).toMatch(/^e:/);
    for (const person of [owner, admin, member]) {
      expect((await ask(api, 'GET /v1/organizations', person)).body).toMatchObject({ total: 0 });
      for (const route of [`GET ${path}`, `GET ${path}/members`, `DELETE ${path}`] as const)
        expect((await ask(api, route, person)).body).toMatchObject(NOT_FOUND);
      expect((await ask(api, `GET /v1/websites/${owner.websiteId}`, person)).status).toBe(404);
      const query = { body: { parameters: ['top_pages'] }, headers: person.headers };
      expect((await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, query)).body).toMatchObject(FORBIDDEN);
    }
    expect((await ask(api, 'GET /v1/query/websites', { headers: key })).status).toBe(401);
  });

  it('is not found by strangers, as if it did not exist', async () => {
    const stranger = await ownerWithWebsite(api);
    for (const { headers } of [stranger, await signUp(api)])
      for (const id of [shared.organizationId, 'org_unknown', '%01']) {
        const path = `/v1/organizations/${id}`;
        const role = { body: { role: 'member' }, headers };
        const answers = await Promise.all([
          ask(api, `GET ${path}`, { headers }),
          ask(api, `PATCH ${path}`, { body: { name: 'Mine' }, headers }),
          ask(api, `DELETE ${path}`, { headers }),
          ask(api, `GET ${path}/members`, { headers }),
          ask(api, `PATCH ${path}/members/${shared.id}`, role),
          ask(api, `DELETE ${path}/members/${shared.id}`, { headers }),
          ask(api, `GET ${path}/invitations`, { headers }),
          ask(api, `POST ${path}/invitations`, { body: { ...role.body, email: 'a@example.com' }, headers }),
          ask(api, `DELETE ${path}/invitations/inv_1`, { headers }),
        ]);
        for (const { status, body } of answers)
          expect({ status, body }).toMatchObject({ status: 404, body: NOT_FOUND });
      }
  });

  it('is no matter of keys', async () => {
    const scopes = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'];
    const headers = { 'x-api-key': await newKey(api, shared, { scopes }) };
    const path = pathOf(shared);
    for (const route of ['GET /v1/organizations', `GET ${path}`, `DELETE ${path}`, `GET ${path}/members`] as const)
      expect((await ask(api, route, { headers })).body).toMatchObject(FORBIDDEN);
  });
});

const FORBIDDEN = { code: 'FORBIDDEN', error: 'Insufficient permissions' };
const NOT_FOUND = { code: 'NOT_FOUND', error: 'Organization not found' };
const CONFLICT = { code: 'CONFLICT' };

const pathOf = ({ organizationId }: Owner) => `/v1/organizations/${organizationId}` as const;

async function team() {
  const owner = await ownerWithWebsite(api);
  const admin = await colleague(api, owner, 'admin');
  const member = await colleague(api, owner, 'member');
  return { owner, admin, member, path: pathOf(owner) };
}

let shared: Owner;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
  shared = await ownerWithWebsite(api);
});
afterAll(() => api.close());
