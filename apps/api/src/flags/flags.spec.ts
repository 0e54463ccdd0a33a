import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';

const EXISTS = { attribute: 'userId', operator: 'exists', values: [], enabled: true };
const also = (condition: object) => ({ rules: [{ ...EXISTS, and: [condition] }] });
const LIVE = { name: 'live', status: 'active' };

describe('a flag over HTTP', () => {
  it('is created with defaults, listed, changed and deleted', async () => {
    const created = await create({});
    expect(created).toMatchObject({ status: 201, body: { ...PLAIN, key: 'beta', name: 'Beta', revision: 0 } });
    const path = `/v1/flags/${String(created.body.id)}` as const;
    const changes = { type: 'rollout', rollout: { percentage: 12.5, by: 'team' }, description: 'A trial' };
    const changed = await ask(api, `PATCH ${path}`, { body: changes, headers });
    expect(changed).toMatchObject({ status: 200, body: { ...changes, revision: 1 } });
    expect(changed.headers['x-log-position']).toMatch(/^e:/);
    expect(await listed()).toEqual([changed.body]);
    expect((await ask(api, `GET ${path}`, { headers })).body).toEqual(changed.body);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(404);
  });

  it('has a key of its own in its website or organization, which a deletion makes free', async () => {
    const first = await create({ key: 'one' });
    const taken = { status: 409, body: { code: 'CONFLICT', error: 'This key is taken' } };
    expect(await create({ key: 'one' })).toMatchObject(taken);
    const all = await create({ key: 'one', websiteId: null });
    expect(all.status).toBe(201);
    expect(await create({ key: 'one', websiteId: null })).toMatchObject(taken);
    await remove(first.body.id);
    const second = await create({ key: 'one' });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await ask(api, `GET /v1/flags/${String(first.body.id)}`, { headers })).status).toBe(404);
    const ids = [all.body.id, second.body.id];
    expect((await listed()).map(({ id }) => id)).toEqual(ids);
    expect((await listed(`&websiteId=${owner.websiteId}`)).map(({ id }) => id)).toEqual([second.body.id]);
    for (const id of ids) await remove(id);
  });

  it('is created once for an Idempotency-Key, and changed only where If-Match fits', async () => {
    const once = { ...headers, 'idempotency-key': 'once' };
    const body = { ...flag(), key: 'once', rules: [RULE] };
    const first = await ask(api, 'POST /v1/flags', { body, headers: once });
    const second = await repeat();
    expect(second).toMatchObject({ status: 201, body: first.body });
    const path = `/v1/flags/${String(first.body.id)}` as const;
    const late = { ...headers, 'if-match': '7' };
    expect((await ask(api, `PATCH ${path}`, { body: { name: 'X' }, headers: late })).status).toBe(409);
    expect((await ask(api, `DELETE ${path}`, { headers: late })).status).toBe(409);
    await remove(first.body.id);

    function repeat() {
      return ask(api, 'POST /v1/flags', { body, headers: once });
    }
  });

  it.each([
    [{ key: 'a b' }, 'key'],
    [{ name: '' }, 'name'],
    [{ type: 'colour' }, 'type'],
    [{ status: 'on' }, 'status'],
    [{ payload: 'x'.repeat(4_000) }, 'payload'],
    [{ defaultValue: 'on' }, 'defaultValue'],
    [{ type: 'rollout' }, 'rollout'],
    [{ type: 'rollout', rollout: { percentage: 101, by: 'user' } }, 'rollout.percentage'],
    [{ type: 'multivariant' }, 'variants'],
    [{ type: 'multivariant', variants: [{ key: 'a', value: 1, weight: -1 }] }, 'variants[0].weight'],
    [{ type: 'multivariant', variants: [{ key: 'a', weight: 1 }] }, 'variants[0].value'],
    [{ rules: [{ attribute: 'shoe', operator: 'exists', values: [], enabled: true }] }, 'rules[0].attribute'],
    [{ rules: [{ attribute: 'email', operator: 'equals', values: [], enabled: true }] }, 'rules[0].values'],
    [{ rules: [{ attribute: 'email', operator: 'exists', values: ['x'], enabled: true }] }, 'rules[0].values'],
    [{ rules: [{ attribute: 'email', operator: 'like', values: ['x'], enabled: true }] }, 'rules[0].operator'],
    [also({ attribute: 'email', operator: 'like', values: ['x'] }), 'rules[0].and[0].operator'],
    [also({ attribute: 'shoe', operator: 'gt', values: ['1'] }), 'rules[0].and[0].attribute'],
    [also({ attribute: 'email', operator: 'gt', values: ['x'] }), 'rules[0].and[0].values'],
    [{ rules: [{ ...EXISTS, operator: 'semver_gte', values: ['1.2'] }] }, 'rules[0].values'],
    [{ rules: [{ ...EXISTS, and: EXISTS }] }, 'rules[0].and'],
    [{ rules: [{ ...EXISTS, rollout: { percentage: 101, by: 'user' } }] }, 'rules[0].rollout.percentage'],
    [{ environments: [{ name: 'live', status: 'archived' }] }, 'environments[0].status'],
    [{ environments: [LIVE, LIVE] }, 'environments'],
    [{ environments: [LIVE], environment: 'live' }, 'environments'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused when it has %j', async (wrong, field) => {
    expect(await create(wrong)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });

  it('has a state in each environment, rules of several conditions, and shares of rules', async () => {
    const { attribute, operator } = RULE;
    const and = [
      { attribute: 'properties.seats', operator: 'gte', values: ['5'] },
      { attribute: 'properties.app', operator: 'semver_lt', values: ['2.0.0'] },
      { attribute: 'teamId', operator: 'exists', values: [] },
    ];
    const rollout = { percentage: 100, by: 'team' };
    const rules = [
      { ...EXISTS, enabled: false, and: [{ attribute, operator, values: ['z'] }] },
      { ...RULE, and, rollout },
    ];
    const sent = [...rules, { ...EXISTS, attribute: 'organizationId', and: [], rollout: null }];
    const created = await create({ key: 'rich', rules: sent, environments: [LIVE], status: 'inactive' });
    const path = `/v1/flags/${String(created.body.id)}` as const;
    const stored = [...rules, { ...EXISTS, attribute: 'organizationId' }];
    expect(created.body).toMatchObject({ rules: stored, environments: [LIVE] });
    expect((created.body.rules as unknown[])[2]).toEqual(stored[2]);
    const same = await ask(api, `PATCH ${path}`, { body: { rules: sent, environments: [LIVE] }, headers });
    expect(same.body).toMatchObject({ rules: stored, revision: 0 });
    const person = { email: PERSON, teamId: 't1', environment: 'live', seats: 7, app: '1.10.0' };
    expect(await valueFor(person)).toBe(true);
    for (const other of [{ seats: 4 }, { app: '2.0.0' }, { teamId: null }, { email: 'y' }])
      expect(await valueFor({ ...person, ...other })).toBe(false);
    expect(await valueFor({ ...person, targetingKey: 'u1', email: 'Z' })).toBe(false);
    expect(await valueFor({ ...person, environment: 'test' })).toBeUndefined();
    await remove(created.body.id);
  });

  it('moves people to an added variant alone', async () => {
    const variants = ['a', 'b'].map((key) => ({ key, value: key, weight: 1 }));
    const created = await create({ key: 'colour', type: 'multivariant', variants });
    expect(created.body).not.toHaveProperty('variantRanges');
    const before = await variantsOf('colour');
    const body = { variants: [...variants, { key: 'c', value: 'c', weight: 1 }] };
    await ask(api, `PATCH /v1/flags/${String(created.body.id)}`, { body, headers });
    const after = await variantsOf('colour');
    expect(new Set(after)).toEqual(new Set(['a', 'b', 'c']));
    expect(after.filter((variant, at) => variant !== 'c' && variant !== before[at])).toEqual([]);
    await remove(created.body.id);
  });

  it('belongs to a website of its organization', async () => {
    const other = await ownerWithWebsite(api);
    const missing = { status: 404, body: { error: 'Website not found' } };
    for (const websiteId of [other.websiteId, 'site_none']) expect(await create({ websiteId })).toMatchObject(missing);
  });

  it('is gone with its website', async () => {
    const body = { organizationId: owner.organizationId, name: 'Blog', domain: 'blog.example' };
    const { id } = (await ask(api, 'POST /v1/websites', { body, headers })).body;
    const { body: gone } = await create({ key: 'gone', websiteId: id });
    await ask(api, `DELETE /v1/websites/${String(id)}`, { headers });
    expect(await listed()).toEqual([]);
    expect((await ask(api, `GET /v1/flags/${String(gone.id)}`, { headers })).status).toBe(404);
  });

  it('of another website is out of reach for a key of one', async () => {
    const key = await newKey(api, owner, {
      scopes: ['manage:flags'],
      resources: { [`website:${owner.websiteId}`]: [] },
    });
    const own = await ask(api, 'POST /v1/flags', { body: { ...flag(), key: 'own' }, headers: { 'x-api-key': key } });
    expect(own.status).toBe(201);
    const all = { ...flag(), key: 'all', websiteId: null };
    expect((await ask(api, 'POST /v1/flags', { body: all, headers: { 'x-api-key': key } })).status).toBe(403);
    await remove(own.body.id);
  });
});

describe('the values of rules', () => {
  it('are shown to those who may read the flag, and are in no event, table or entry of the audit log', async () => {
    const { body } = await create({ key: 'secret', rules: [RULE] });
    expect(body.rules).toEqual([RULE]);
    const audited = await ask(api, `GET /v1/audit-log?organizationId=${owner.organizationId}&limit=1`, { headers });
    expect(audited.body.data).toMatchObject([
      { action: 'flag.created', changes: { ruleValues: { after: 'encrypted' } } },
    ]);
    expect(audited.text).not.toContain(PERSON);
    for (const table of ['events', 'idempotency_keys', 'subject_keys'])
      expect(JSON.stringify((await database().query(`select * from ${table}`)).rows)).not.toContain(PERSON);
    await remove(body.id);
  });

  it('can be read no longer once others are in force, or the flag is deleted', async () => {
    const { body } = await create({ key: 'keys', rules: [RULE] });
    expect(await keysOf(body.id)).toEqual([true]);
    const rules = [{ ...RULE, values: ['b@example.com'] }];
    const path = `/v1/flags/${String(body.id)}` as const;
    expect((await ask(api, `PATCH ${path}`, { body: { rules }, headers })).body).toMatchObject({ rules, revision: 1 });
    expect(await keysOf(body.id)).toEqual([false, true]);
    expect((await ask(api, `PATCH ${path}`, { body: { rules }, headers })).body).toMatchObject({ rules, revision: 1 });
    await ask(api, `PATCH ${path}`, { body: { name: 'Renamed' }, headers });
    expect((await ask(api, `GET ${path}`, { headers })).body).toMatchObject({ rules, revision: 2 });
    await remove(body.id);
    expect(await keysOf(body.id)).toEqual([false, false]);
  });

  /** Returns whether each key that there ever was for values of the flag still exists. */
  async function keysOf(flagId: unknown): Promise<boolean[]> {
    const text = `select wrapped is not null as alive from subject_keys where subject like $1 order by key_id`;
    const { rows } = await database().query<{ alive: boolean }>(text, [`${String(flagId)}.%`]);
    return rows.map(({ alive }) => alive);
  }
});

const PERSON = 'ada.lovelace@example.com';
const RULE = { attribute: 'email', operator: 'in', values: [PERSON, 'c@example.com'], enabled: true };

const PLAIN = {
  type: 'boolean',
  status: 'active',
  defaultValue: false,
  payload: null,
  environment: null,
  environments: [],
  rollout: null,
  variants: [],
  rules: [],
};

let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];

const database = () => api.app.get<Pool>(POOL);

const flag = () => ({
  organizationId: owner.organizationId,
  websiteId: owner.websiteId as string | null,
  key: 'beta',
  name: 'Beta',
});

const create = (more: object) => ask(api, 'POST /v1/flags', { body: { ...flag(), ...more }, headers });

const remove = (id: unknown) => ask(api, `DELETE /v1/flags/${String(id)}`, { headers });

async function valueFor(context: object): Promise<unknown> {
  const path = `/public/v1/flags/ofrep/v1/evaluate/flags/rich?clientId=${owner.websiteId}` as const;
  return (await ask(api, `POST ${path}`, { body: { context } })).body.value;
}

/** Returns the variants of forty people. */
const variantsOf = (key: string): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const query = `clientId=${owner.websiteId}&key=${key}&userId=u${n}`;
      return (await ask(api, `GET /public/v1/flags/evaluate?${query}`)).body.variant;
    }),
  );

async function listed(more = ''): Promise<readonly { id: string }[]> {
  const { body } = await ask(api, `GET /v1/flags?organizationId=${owner.organizationId}${more}`, { headers });
  return body.data as { id: string }[];
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
});

afterAll(() => api.close());
