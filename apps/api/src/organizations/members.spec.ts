import { ask } from '@test/api/ask';
import { colleague, ownerWithWebsite, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe('members', () => {
  it('are shown to each other with role, name and address', async () => {
    const { owner, admin, member } = await team();
    for (const person of [owner, admin, member]) {
      const { body } = await ask(api, `GET ${pathOf(owner)}`, person);
      const joined = { organizationId: owner.organizationId, name: 'Ada', joinedAt: TIME, revision: 4 };
      expect(body).toEqual({
        success: true,
        total: 3,
        data: [
          { id: owner.id, email: owner.email, role: 'owner', ...joined },
          { id: admin.id, email: admin.email, role: 'admin', ...joined },
          { id: member.id, email: member.email, role: 'member', ...joined },
        ],
      });
    }
  });

  it('get another role from an owner, and with it other permissions at once', async () => {
    const { owner, member } = await team();
    const rename = (name: string) =>
      ask(api, `PATCH /v1/organizations/${owner.organizationId}`, { body: { name }, headers: member.headers });
    expect((await rename('A')).status).toBe(403);
    const changed = await changeRole(owner, member, 'admin', owner);
    expect(changed).toMatchObject({
      status: 200,
      body: { id: member.id, role: 'admin', email: member.email, revision: 5 },
    });
    expect(changed.headers['x-log-position']).toMatch(/^e:/);
    expect((await rename('B')).status).toBe(200);
    expect((await changeRole(owner, member, 'member', owner)).body).toMatchObject({ role: 'member' });
    expect((await rename('C')).status).toBe(403);
  });

  it('keep their role, and the organization its revision, when nothing is changed', async () => {
    const { owner, member } = await team();
    expect((await changeRole(owner, member, 'member', owner)).body).toMatchObject({ role: 'member', revision: 4 });
  });

  it('get no role from admins and members, not even themselves', async () => {
    const { owner, admin, member } = await team();
    for (const by of [admin, member])
      for (const target of [admin, member, owner])
        expect((await changeRole(owner, target, 'owner', by)).body).toMatchObject(FORBIDDEN);
  });

  it.each([{}, { role: 'king' }, { role: null }, { role: ['admin'] }])('have no role like %j', async (body) => {
    const { owner, member } = await shared;
    const { status, body: refusal } = await ask(api, `PATCH ${pathOf(owner)}/${member.id}`, {
      body,
      headers: owner.headers,
    });
    expect({ status, refusal }).toMatchObject({ status: 400, refusal: { details: [{ field: 'role' }] } });
  });

  it('are removed by owners and admins, and may nothing more', async () => {
    const { owner, admin, member } = await team();
    const removal = await remove(owner, member, admin);
    expect({ status: removal.status, text: removal.text }).toEqual({ status: 204, text: '' });
    expect(removal.headers['x-log-position']).toMatch(/^e:/);
    for (const path of [pathOf(owner), `/v1/websites/${owner.websiteId}`] as const)
      expect((await ask(api, `GET ${path}`, member)).status).toBe(404);
    expect((await ask(api, 'GET /v1/organizations', member)).body).toMatchObject({ total: 0 });
    expect((await remove(owner, member, owner)).body).toMatchObject(NOT_FOUND);
    expect((await remove(owner, admin, owner)).status).toBe(204);
    expect((await ask(api, `GET ${pathOf(owner)}`, owner)).body).toMatchObject({ total: 1 });
  });

  it('are not removed by members, nor owners by admins', async () => {
    const { owner, admin, member } = await team();
    for (const [target, by] of [
      [admin, member],
      [owner, member],
      [owner, admin],
    ] as const)
      expect((await remove(owner, target, by)).body).toMatchObject(FORBIDDEN);
  });

  it('leave, whatever their role', async () => {
    const { owner, admin, member } = await team();
    await changeRole(owner, admin, 'owner', owner);
    for (const person of [member, owner]) {
      expect((await remove(owner, person, person)).status).toBe(204);
      expect((await remove(owner, person, person)).body).toMatchObject({ error: 'Organization not found' });
    }
    expect((await ask(api, `GET ${pathOf(owner)}`, admin)).body).toMatchObject({ total: 1, data: [{ role: 'owner' }] });
    expect((await ask(api, 'GET /v1/organizations', admin)).body).toMatchObject({ data: [{ ownerId: admin.id }] });
  });

  it('are never without an owner', async () => {
    const { owner, admin } = await team();
    expect((await remove(owner, owner, owner)).body).toMatchObject(LAST_OWNER);
    for (const role of ['admin', 'member'])
      expect(await changeRole(owner, owner, role, owner)).toMatchObject({ status: 409, body: LAST_OWNER });
    await changeRole(owner, admin, 'owner', owner);
    const both = await Promise.all([remove(owner, owner, owner), remove(owner, admin, admin)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('are changed and removed only at the revision of the organization that If-Match names', async () => {
    const { owner, member } = await team();
    const headers = { ...owner.headers, 'if-match': '3' };
    expect((await changeRole(owner, member, 'admin', { headers })).body).toMatchObject({ code: 'CONFLICT' });
    expect((await remove(owner, member, { headers })).body).toMatchObject({ code: 'CONFLICT' });
    expect((await changeRole(owner, member, 'admin', { headers: { ...headers, 'if-match': '4' } })).status).toBe(200);
    expect((await remove(owner, member, { headers: { ...headers, 'if-match': '5' } })).status).toBe(204);
  });

  it('are not found by another id', async () => {
    const { owner } = await shared;
    for (const id of ['usr_unknown', (await ownerWithWebsite(api)).id, '%01', '__proto__']) {
      const path = `${pathOf(owner)}/${id}` as const;
      expect((await ask(api, `DELETE ${path}`, owner)).body).toMatchObject(NOT_FOUND);
      const answer = await ask(api, `PATCH ${path}`, { body: { role: 'admin' }, headers: owner.headers });
      expect(answer).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });
});

const TIME = expect.stringMatching(/Z$/) as string;
const FORBIDDEN = { code: 'FORBIDDEN', error: 'Insufficient permissions' };
const NOT_FOUND = { code: 'NOT_FOUND', error: 'Member not found' };
const LAST_OWNER = { code: 'CONFLICT', error: 'The last owner of an organization cannot go' };

type By = Pick<Person, 'headers'> | { readonly headers: Readonly<Record<string, string>> };

const pathOf = ({ organizationId }: Owner) => `/v1/organizations/${organizationId}/members` as const;

const changeRole = (owner: Owner, { id }: Person, role: string, { headers }: By) =>
  ask(api, `PATCH ${pathOf(owner)}/${id}`, { body: { role }, headers });

const remove = (owner: Owner, { id }: Person, { headers }: By) =>
  ask(api, `DELETE ${pathOf(owner)}/${id}`, { headers });

async function team() {
  const owner = await ownerWithWebsite(api);
  return { owner, admin: await colleague(api, owner, 'admin'), member: await colleague(api, owner, 'member') };
}

let api: TestApi;
let shared: ReturnType<typeof team>;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_FAILED_AUTH_PER_MINUTE: '1000' });
  shared = team();
  await shared;
});

afterAll(() => api.close());
