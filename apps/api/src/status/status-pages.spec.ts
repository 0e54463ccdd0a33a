import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe('a status page over HTTP', () => {
  it('is created with defaults, listed, changed and deleted', async () => {
    const slug = newSlug();
    const created = await create({ slug });
    const plain = {
      slug,
      name: 'Shop',
      description: null,
      monitorIds: [],
      isPublic: false,
      timezone: 'UTC',
      revision: 0,
    };
    expect(created).toMatchObject({ status: 201, body: { ...plain, url: `http://localhost:3000/status/${slug}` } });
    const path = pathOf(created.body);
    const changes = { description: 'All of it', isPublic: true };
    const changed = await ask(api, `PATCH ${path}`, { body: changes, headers });
    expect(changed).toMatchObject({ status: 200, body: { ...changes, revision: 1 } });
    expect((await ask(api, `GET ${path}`, { headers })).body).toEqual(changed.body);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(204);
    expect((await ask(api, `GET ${path}`, { headers })).status).toBe(404);
    expect(await actions()).toEqual(['status_page.deleted', 'status_page.updated', 'status_page.created']);
  });

  it('has a slug that no other organization may have, and this one again after a deletion', async () => {
    const slug = newSlug();
    const { body } = await create({ slug });
    const taken = { status: 409, body: { code: 'CONFLICT', error: 'This slug is taken' } };
    expect(await create({ slug })).toMatchObject(taken);
    await ask(api, `DELETE ${pathOf(body)}`, { headers });
    const other = await ownerWithWebsite(api);
    const foreign = { organizationId: other.organizationId, slug, name: 'Theirs' };
    expect(await ask(api, 'POST /v1/status-pages', { body: foreign, headers: other.headers })).toMatchObject(taken);
    const again = await create({ slug });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(body.id);
  });

  it('is created once for an Idempotency-Key, and changed only where If-Match fits', async () => {
    const once = { ...headers, 'idempotency-key': 'once' };
    const body = { organizationId: owner.organizationId, slug: newSlug(), name: 'Shop' };
    const first = await ask(api, 'POST /v1/status-pages', { body, headers: once });
    const second = await ask(api, 'POST /v1/status-pages', { body, headers: once });
    expect(second).toMatchObject({ status: 201, body: first.body });
    const late = { ...headers, 'if-match': '7' };
    expect((await ask(api, `PATCH ${pathOf(first.body)}`, { body: { name: 'X' }, headers: late })).status).toBe(409);
  });

  it('shows monitors of its organization alone', async () => {
    const other = await ownerWithWebsite(api);
    const foreign = await monitorOf(other);
    for (const monitorIds of [[foreign], ['mon_none'], [await monitorOf(owner), foreign]])
      expect(await create({ monitorIds })).toMatchObject({ status: 400, body: { details: [{ field: 'monitorIds' }] } });
    const own = await monitorOf(owner);
    expect(await create({ monitorIds: [own, own] })).toMatchObject({ status: 400 });
    expect(await create({ monitorIds: [own] })).toMatchObject({ status: 201, body: { monitorIds: [own] } });
  });

  it('leaves a monitor that is deleted, as its incidents do, and takes back what it answers', async () => {
    const kept = await monitorOf(owner);
    const gone = await monitorOf(owner);
    const { body } = await create({ monitorIds: [gone, kept] });
    const page = pathOf(body);
    const about = { ...INCIDENT, monitorIds: [gone] };
    const incident = await ask(api, `POST ${page}/incidents`, { body: about, headers });
    expect(incident.body.monitorIds).toEqual([gone]);
    expect((await ask(api, `DELETE /v1/monitors/${gone}`, { headers })).status).toBe(204);
    const { monitorIds } = (await ask(api, `GET ${page}`, { headers })).body;
    expect(monitorIds).toEqual([kept]);
    expect(await ask(api, `PATCH ${page}`, { body: { monitorIds }, headers })).toMatchObject({
      status: 200,
      body: { monitorIds: [kept] },
    });
    expect(await ask(api, `PATCH ${page}`, { body: { name: 'Renamed' }, headers })).toMatchObject({
      body: { monitorIds: [kept] },
    });
    const [reported] = (await ask(api, `GET ${page}/incidents`, { headers })).body.data as Record<string, unknown>[];
    expect(reported?.monitorIds).toEqual([]);
    const path = `${page}/incidents/${String(reported?.id)}` as const;
    const changed = await ask(api, `PATCH ${path}`, { body: { monitorIds: [], title: 'Y' }, headers });
    expect(changed).toMatchObject({ status: 200, body: { title: 'Y', monitorIds: [] } });
    expect(await ask(api, `PATCH ${page}`, { body: { monitorIds: [gone] }, headers })).toMatchObject({
      status: 400,
      body: { details: [{ message: expect.stringContaining(gone) as string }] },
    });
  });

  it.each([
    [{ slug: 'A' }, 'slug'],
    [{ slug: 'a/b' }, 'slug'],
    [{ name: '' }, 'name'],
    [{ monitorIds: 'mon_1' }, 'monitorIds'],
    [{ isPublic: 'yes' }, 'isPublic'],
    [{ timezone: 'Mars/Base' }, 'timezone'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused when it has %j', async (wrong, field) => {
    expect(await create(wrong)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });
});

describe('an incident over HTTP', () => {
  it('is reported, goes on, is resolved and deleted', async () => {
    const page = pathOf((await create({})).body);
    const created = await ask(api, `POST ${page}/incidents`, { body: INCIDENT, headers });
    expect(created).toMatchObject({
      status: 201,
      body: { title: 'Orders fail', status: 'investigating', resolvedAt: null, updates: [{ message: 'Looking.' }] },
    });
    const path = `${page}/incidents/${String(created.body.id)}` as const;
    const update = { status: 'resolved', message: 'Over.' };
    const resolved = await ask(api, `PATCH ${path}`, { body: { update, severity: 'minor' }, headers });
    expect(resolved.body).toMatchObject({ status: 'resolved', severity: 'minor', updates: [{}, update], revision: 1 });
    expect(resolved.body.resolvedAt).toMatch(/Z$/);
    expect((await ask(api, `GET ${page}/incidents`, { headers })).body.data).toEqual([resolved.body]);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(204);
    expect((await ask(api, `PATCH ${path}`, { body: { title: 'X' }, headers })).status).toBe(404);
    expect((await actions()).slice(0, 3)).toEqual(['incident.deleted', 'incident.updated', 'incident.created']);
  });

  it('is found on its own page alone', async () => {
    const one = pathOf((await create({})).body);
    const other = pathOf((await create({})).body);
    const { body } = await ask(api, `POST ${one}/incidents`, { body: INCIDENT, headers });
    const path = `${other}/incidents/${String(body.id)}` as const;
    expect(await ask(api, `DELETE ${path}`, { headers })).toMatchObject({
      status: 404,
      body: { error: 'Incident not found' },
    });
  });

  it.each([
    [{ title: '' }, 'title'],
    [{ severity: 'awful' }, 'severity'],
    [{ message: '' }, 'message'],
    [{ status: 'open' }, 'status'],
    [{ severity: 'maintenance' }, 'startsAt'],
    [{ startsAt: '2030-01-01T00:00:00Z' }, 'startsAt'],
    [{ startsAt: 'tomorrow' }, 'startsAt'],
    [{ monitorIds: ['mon_none'] }, 'monitorIds'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused when it has %j', async (wrong, field) => {
    const page = pathOf((await create({})).body);
    expect(await ask(api, `POST ${page}/incidents`, { body: { ...INCIDENT, ...wrong }, headers })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });
});

const INCIDENT = { title: 'Orders fail', severity: 'major', message: 'Looking.' };

let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];
let slugs = 0;

const newSlug = () => `page-${++slugs}`;
const pathOf = ({ id }: Readonly<Record<string, unknown>>) => `/v1/status-pages/${String(id)}` as const;

const create = (more: object) =>
  ask(api, 'POST /v1/status-pages', {
    body: { organizationId: owner.organizationId, slug: newSlug(), name: 'Shop', ...more },
    headers,
  });

async function monitorOf({ organizationId, headers: own }: Owner): Promise<string> {
  const body = { organizationId, name: 'Shop', url: 'https://example.com/' };
  return (await ask(api, 'POST /v1/monitors', { body, headers: own })).body.id as string;
}

async function actions(): Promise<readonly string[]> {
  const path = `/v1/audit-log?organizationId=${owner.organizationId}&limit=3` as const;
  const { body } = await ask(api, `GET ${path}`, { headers });
  return (body.data as { action: string }[]).map(({ action }) => action);
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
});

afterAll(() => api.close());
