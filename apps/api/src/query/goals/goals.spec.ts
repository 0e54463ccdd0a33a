import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const PAGE = { kind: 'page' };
const SIGNUP = { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'signup' }] };
const STEPS = [{ condition: PAGE }, { name: 'Signup', condition: SIGNUP }];

/** The details of each kind, its defaults, and a change. */
const KINDS = {
  goals: { details: { condition: SIGNUP }, defaults: { value: null }, change: { value: { property: 'total' } } },
  funnels: {
    details: { steps: STEPS },
    defaults: { window: null, order: 'ordered', per: 'visitor' },
    change: { window: '1d', order: 'strict' },
  },
  segments: {
    details: { filters: [{ field: 'country', op: 'eq', value: 'DE' }] },
    defaults: { did: [] },
    change: { did: [{ condition: SIGNUP, within: 'session' }] },
  },
} as const;

type Kind = keyof typeof KINDS;

describe.each(Object.keys(KINDS) as Kind[])('%s over HTTP', (kind) => {
  const { details, defaults, change } = KINDS[kind];

  it('are created with defaults, listed in their order, read, changed and deleted', async () => {
    const first = await create(kind, { name: 'First', ...details });
    expect(first).toMatchObject({
      status: 201,
      body: { name: 'First', ...details, ...defaults, websiteId: owner.websiteId },
    });
    const second = await create(kind, { name: 'Second', ...details });
    expect(await listed(kind)).toEqual([first.body, second.body]);
    const path = `/v1/${kind}/${String(first.body.id)}` as const;
    const changed = await ask(api, `PATCH ${path}`, { body: change, headers });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...first.body, ...change, ...CHANGED },
    });
    expect(changed.body.revision).toBeGreaterThan(first.body.revision as number);
    expect((await ask(api, `GET ${path}`, { headers })).body).toEqual(changed.body);
    expect(await listed(kind)).toEqual([changed.body, second.body]);
    for (const { body } of [first, second]) await remove(kind, body.id);
    expect(await listed(kind)).toEqual([]);
    expect((await ask(api, `GET ${path}`, { headers })).status).toBe(404);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(404);
  });

  it('have names that are unique in their website', async () => {
    await create(kind, { name: 'Once', ...details });
    const taken = {
      status: 409,
      body: {
        code: 'CONFLICT',
        error: 'This name is taken',
        details: [{ field: 'name', message: 'This name is taken.' }],
      },
    };
    expect(await create(kind, { name: ' Once ', ...details })).toMatchObject(taken);
    const other = await create(kind, { name: 'Other', ...details });
    const path = `/v1/${kind}/${String(other.body.id)}` as const;
    expect(await ask(api, `PATCH ${path}`, { body: { name: 'Once' }, headers })).toMatchObject(taken);
    const elsewhere = await create(kind, { name: 'Once', ...details, websiteId: await otherWebsite() });
    expect(elsewhere.status).toBe(201);
    const both = await Promise.all([1, 2].map(() => create(kind, { name: 'At once', ...details })));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    for (const { id } of await listed(kind)) await remove(kind, id);
    const freed = await create(kind, { name: 'Once', ...details });
    expect(freed.status).toBe(201);
    await remove(kind, freed.body.id);
  });

  it('are created once for an Idempotency-Key, and changed only where If-Match fits', async () => {
    const sent = {
      body: { ...of(), name: 'Key', ...details },
      headers: { ...headers, 'idempotency-key': `once-${kind}` },
    };
    const first = await ask(api, `POST /v1/${kind}`, sent);
    await create(kind, { name: 'Beside', ...details }); // no change of the first one
    expect(await ask(api, `POST /v1/${kind}`, sent)).toMatchObject({ status: 201, body: first.body });
    const path = `/v1/${kind}/${String(first.body.id)}` as const;
    const at = (revision: unknown) => ({ ...headers, 'if-match': String(revision) });
    expect((await ask(api, `PATCH ${path}`, { body: change, headers: at(99) })).status).toBe(409);
    expect((await ask(api, `DELETE ${path}`, { headers: at(99) })).status).toBe(409);
    const changed = await ask(api, `PATCH ${path}`, { body: change, headers: at(first.body.revision) });
    expect(changed.status).toBe(200);
    const again = await ask(api, `PATCH ${path}`, { body: change, headers });
    expect(again.body).toEqual(changed.body);
    expect((await ask(api, `DELETE ${path}`, { headers: at(changed.body.revision) })).status).toBe(204);
    for (const { id } of await listed(kind)) await remove(kind, id);
  });

  it('are created and changed at once without a conflict, if they are different ones', async () => {
    const other = await ownerWithWebsite(api);
    const sent = ({ organizationId, websiteId }: Owner, name: string) => ({
      organizationId,
      websiteId,
      name,
      ...details,
    });
    const names = Array.from({ length: 12 }, (_, n) => `At once ${n}`);
    const made = await Promise.all(
      names.map((name) => ask(api, `POST /v1/${kind}`, { body: sent(other, name), headers: other.headers })),
    );
    expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
    const changed = await Promise.all(
      made.map(({ body: { id } }) =>
        ask(api, `PATCH /v1/${kind}/${String(id)}`, { body: change, headers: other.headers }),
      ),
    );
    expect(changed.map(({ status, body }) => [status, body.name])).toEqual(names.map((name) => [200, name]));
  });

  it('are refused with the name of every wrong field, and nothing is stored', async () => {
    const wrong = { ...details, name: '', websiteId: 7, colour: 'red' };
    expect(await create(kind, wrong)).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_ERROR',
        details: expect.arrayContaining(
          ['name', 'websiteId', 'colour'].map((field) => expect.objectContaining({ field }) as object),
        ) as object,
      },
    });
    expect((await create(kind, { ...details, name: 'x'.repeat(101) })).status).toBe(400);
    const { body } = await create(kind, { name: 'Kept', ...details });
    const path = `/v1/${kind}/${String(body.id)}` as const;
    for (const fixed of [{ websiteId: owner.websiteId }, { organizationId: owner.organizationId }, { name: null }])
      expect((await ask(api, `PATCH ${path}`, { body: fixed, headers })).status).toBe(400);
    expect(await listed(kind)).toEqual([body]);
    await remove(kind, body.id);
  });

  it('belong to a website of their organization, and are gone with it', async () => {
    const other = await ownerWithWebsite(api);
    for (const websiteId of [other.websiteId, 'site_none'])
      expect(await create(kind, { name: 'A', ...details, websiteId })).toMatchObject({
        status: 404,
        body: { error: 'Website not found' },
      });
    const websiteId = await otherWebsite();
    const { body } = await create(kind, { name: 'A', ...details, websiteId });
    expect(await listed(kind, `&websiteId=${websiteId}`)).toEqual([body]);
    expect(await listed(kind, `&websiteId=${owner.websiteId}`)).toEqual([]);
    await ask(api, `DELETE /v1/websites/${websiteId}`, { headers });
    expect(await listed(kind)).toEqual([]);
    const path = `/v1/${kind}/${String(body.id)}` as const;
    for (const method of ['GET', 'DELETE'] as const)
      expect((await ask(api, `${method} ${path}`, { headers })).status).toBe(404);
    expect((await ask(api, `PATCH ${path}`, { body: change, headers })).status).toBe(404);
  });

  it('are entries of the audit log', async () => {
    const { body } = await create(kind, { name: 'Audited', ...details });
    await ask(api, `PATCH /v1/${kind}/${String(body.id)}`, { body: { name: 'Renamed' }, headers });
    await remove(kind, body.id);
    const entries = (await readAuditLog(api, owner)).filter(({ target }) => target.id === body.id);
    const noun = kind.slice(0, -1);
    expect(entries.map(({ action, target }) => [action, target.name])).toEqual([
      [`${noun}.deleted`, 'Renamed'],
      [`${noun}.updated`, 'Renamed'],
      [`${noun}.created`, 'Audited'],
    ]);
    expect(entries[1]!.changes).toEqual({ name: { before: 'Audited', after: 'Renamed' } });
  });
});

describe('a goal', () => {
  it('has a value only of custom events, also after a change', async () => {
    const value = { property: 'total', currency: 'EUR' };
    const refused = { status: 400, body: { details: [expect.objectContaining({ field: 'value' })] } };
    expect(await create('goals', { name: 'A', condition: PAGE, value })).toMatchObject(refused);
    const { body } = await create('goals', { name: 'A', condition: SIGNUP, value });
    const path = `/v1/goals/${String(body.id)}` as const;
    expect(await ask(api, `PATCH ${path}`, { body: { condition: PAGE }, headers })).toMatchObject(refused);
    const both = { condition: PAGE, value: null };
    expect(await ask(api, `PATCH ${path}`, { body: both, headers })).toMatchObject({ status: 200, body: both });
    await remove('goals', body.id);
  });
});

describe('a segment', () => {
  it('says something of sessions, also after a change', async () => {
    const refused = { status: 400, body: { details: [expect.objectContaining({ field: 'filters' })] } };
    expect(await create('segments', { name: 'Empty' })).toMatchObject(refused);
    const { body } = await create('segments', { name: 'Germans', ...KINDS.segments.details });
    const path = `/v1/segments/${String(body.id)}` as const;
    expect(await ask(api, `PATCH ${path}`, { body: { filters: null }, headers })).toMatchObject(refused);
    await remove('segments', body.id);
  });

  it('may be one of all websites, out of reach for a key of one', async () => {
    const { body, status } = await create('segments', { name: 'All', websiteId: null, ...KINDS.segments.details });
    expect([status, body.websiteId]).toEqual([201, null]);
    const key = await newKey(api, owner, {
      scopes: ['read:data', 'write:data'],
      resources: { [`website:${owner.websiteId}`]: [] },
    });
    const ofKey = { 'x-api-key': key };
    expect((await ask(api, `GET /v1/segments/${String(body.id)}`, { headers: ofKey })).status).toBe(403);
    const own = await ask(api, 'POST /v1/segments', {
      body: { ...of(), name: 'All', ...KINDS.segments.details },
      headers: ofKey,
    });
    expect(own.status).toBe(201);
    const { data } = (await ask(api, `GET /v1/segments?organizationId=${owner.organizationId}`, { headers: ofKey }))
      .body;
    expect(data).toEqual([own.body]);
    for (const { id } of [body, own.body]) await remove('segments', id);
  });
});

const CHANGED = { updatedAt: expect.any(String) as string, revision: expect.any(Number) as number };

let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];

const of = () => ({ organizationId: owner.organizationId, websiteId: owner.websiteId });

const create = (kind: Kind, more: object) => ask(api, `POST /v1/${kind}`, { body: { ...of(), ...more }, headers });

async function remove(kind: Kind, id: unknown): Promise<void> {
  const { status } = await ask(api, `DELETE /v1/${kind}/${String(id)}`, { headers });
  if (status !== 204) throw new Error(`It was not deleted: ${status}`);
}

async function listed(kind: Kind, more = ''): Promise<readonly { id: string }[]> {
  const { body } = await ask(api, `GET /v1/${kind}?organizationId=${owner.organizationId}${more}`, { headers });
  return body.data as { id: string }[];
}

async function otherWebsite(): Promise<string> {
  const body = { organizationId: owner.organizationId, name: 'Blog', domain: 'blog.example' };
  return (await ask(api, 'POST /v1/websites', { body, headers })).body.id as string;
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
});

afterAll(() => api.close());
