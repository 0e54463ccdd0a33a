import { Registry } from '@ledgerline/domain/registry/registry';
import { FlagValues } from '@ledgerline/platform/personal-data/sealed-values';
import { ask, type Answer } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const ORIGIN = 'https://shop.example';

describe('the flags of a website', () => {
  it('are all that are active there, as they are for a person', async () => {
    const { status, body, headers } = await bulk({ userId: 'u1', email: 'ada@example.com' });
    expect([status, body]).toEqual([
      200,
      {
        flags: {
          all: { enabled: true, value: true, payload: { a: [1] }, reason: 'BOOLEAN_DEFAULT' },
          beta: { ...ON, reason: 'USER_RULE_MATCH' },
          colour: { enabled: true, value: '#00f', payload: null, reason: 'MULTIVARIANT_EVALUATED', variant: 'blue' },
          half: { ...OFF, reason: 'ROLLOUT_DISABLED' },
        },
        count: 4,
      },
    ]);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '600' });
  });

  it('are those with the keys that are asked for, as far as there are such', async () => {
    const { body } = await bulk({ keys: 'beta, off,none,all' });
    expect(Object.keys(body.flags as object)).toEqual(['all', 'beta']);
    expect(body.count).toBe(2);
  });

  it('are none for a client that is no website', async () => {
    const answer = { status: 200, body: { flags: {}, count: 0 } };
    for (const clientId of ['site_none', owner.organizationId]) expect(await bulk({ clientId })).toMatchObject(answer);
  });

  it('compare properties, and those of an environment are found there alone', async () => {
    const plan = { properties: JSON.stringify({ plan: 'team' }) };
    expect((await one('beta', plan)).body).toMatchObject({ enabled: true, reason: 'USER_RULE_MATCH' });
    const order = { properties: '{"order":9007199254740993}' };
    expect((await one('beta', order)).body).toMatchObject({ enabled: true, reason: 'USER_RULE_MATCH' });
    expect((await one('test-only', { environment: 'test' })).body).toMatchObject({ reason: 'BOOLEAN_DEFAULT' });
    expect((await one('test-only', { environment: 'live' })).body).toEqual(NOT_FOUND);
  });

  it('are not found one by one where they do not exist or are not active', async () => {
    for (const key of ['none', 'off', '__proto__'])
      expect(await one(key)).toMatchObject({ status: 200, body: NOT_FOUND });
  });

  it.each([
    [{ clientId: '' }, 'clientId'],
    [{ properties: '{' }, 'properties'],
    [{ properties: '[1]' }, 'properties'],
    [{ userId: 'x'.repeat(300) }, 'userId'],
    [{ colour: 'red' }, 'colour'],
  ])('are refused to a request with %j', async (wrong, field) => {
    for (const answer of [await bulk(wrong), await one('all', wrong)])
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
      });
  });

  it('of the website hide those of the organization, in every state and by every route', async () => {
    const live = { environment: 'live' };
    expect((await one('both', live)).body).toMatchObject({ enabled: true });
    const id = await create({ key: 'both' });
    for (const changes of [{ status: 'inactive' }, { status: 'archived' }, { status: 'active', environment: 'test' }]) {
      await ask(api, `PATCH /v1/flags/${id}`, { body: changes, headers: owner.headers });
      expect((await one('both', live)).body).toEqual(NOT_FOUND);
      expect((await bulk(live)).body.flags).not.toHaveProperty('both');
      expect((await ofrep('/both', { context: live })).status).toBe(404);
      expect((await ofrep('', { context: live })).text).not.toContain('both');
    }
  });

  it('follow a change at once', async () => {
    const id = await create({ key: 'own', rules: [NOT('u9')] });
    expect((await one('own', { userId: 'u2' })).body).toMatchObject({ reason: 'USER_RULE_MATCH' });
    expect((await one('own', { userId: 'u9' })).body).toMatchObject({ reason: 'BOOLEAN_DEFAULT' });
    await ask(api, `PATCH /v1/flags/${id}`, { body: { rules: [NOT('u2')] }, headers: owner.headers });
    expect((await one('own', { userId: 'u2' })).body).toMatchObject({ reason: 'BOOLEAN_DEFAULT' });
    expect((await one('own', { userId: 'u9' })).body).toMatchObject({ reason: 'USER_RULE_MATCH' });
    await ask(api, `DELETE /v1/flags/${id}`, { headers: owner.headers });
    expect((await one('own', { userId: 'u9' })).body).toEqual(NOT_FOUND);
  });

  it('have rules that match no context once their values cannot be read', async () => {
    const id = await create({ key: 'own', rules: [NOT('u9')] });
    const flag = api.app.get(Registry, { strict: false }).find('flags', id)!;
    await api.app.get(FlagValues, { strict: false }).destroy([{ ...flag, sealed: flag.ruleValues }]);
    expect((await one('own', { userId: 'u2' })).body).toMatchObject({ reason: 'BOOLEAN_DEFAULT' });
    await ask(api, `DELETE /v1/flags/${id}`, { headers: owner.headers });
  });
});

describe('a page of any website', () => {
  it('may ask, without credentials, and read the answers, errors included', async () => {
    const headers = { origin: ORIGIN };
    const paths = [`bulk?clientId=${owner.websiteId}`, 'bulk', 'none'];
    for (const path of paths) expectReadable(await ask(api, `GET /public/v1/flags/${path}`, { headers }));
    const preflight = { ...headers, 'access-control-request-method': 'POST' };
    const asked = await ask(api, 'OPTIONS /public/v1/flags/ofrep/v1/evaluate/flags', { headers: preflight });
    expect(asked).toMatchObject({ status: 204, headers: { 'access-control-allow-headers': '*' } });
    expectReadable(asked);
    const elsewhere = await ask(api, 'GET /v1/query/types', { headers });
    expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined();
  });

  function expectReadable({ headers }: Answer): void {
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  }
});

describe('a provider of OpenFeature', () => {
  const context = { targetingKey: 'u1', email: 'ada@example.com', plan: 'team' };

  it('gets all flags, and 304 while they are the same', async () => {
    const { status, body, headers } = await ofrep('', { context });
    expect([status, body]).toEqual([
      200,
      {
        flags: [
          { key: 'all', value: true, reason: 'STATIC', metadata: { enabled: true, payload: '{"a":[1]}' } },
          expect.objectContaining({ key: 'beta' }),
          { key: 'colour', value: '#00f', reason: 'SPLIT', variant: 'blue', metadata: { enabled: true } },
          { key: 'half', value: false, reason: 'SPLIT', metadata: { enabled: false } },
        ],
      },
    ]);
    const known = { 'if-none-match': `W/${headers.etag}` };
    expect(await ofrep('', { context }, known)).toMatchObject({
      status: 304,
      text: '',
      headers: { etag: headers.etag },
    });
    const changed = { targetingKey: 'u1' };
    expect((await ofrep('', { context: changed }, known)).status).toBe(200);
    expect((await ofrep('', { context }, { [CLIENT]: 'site_none' })).body).toEqual({ flags: [] });
  });

  it('gets one flag, by its key', async () => {
    const { status, body } = await ofrep('/colour', { context });
    expect([status, body.value, body.reason]).toEqual([200, '#00f', 'SPLIT']);
  });

  it.each([
    ['/none', { context }, 404, 'NOT_FOUND', 'FLAG_NOT_FOUND'],
    ['/off', { context }, 404, 'NOT_FOUND', 'FLAG_NOT_FOUND'],
    ['/all', {}, 400, 'VALIDATION_ERROR', 'INVALID_CONTEXT'],
    ['', {}, 400, 'VALIDATION_ERROR', 'INVALID_CONTEXT'],
    ['', { context: ['u1'] }, 400, 'VALIDATION_ERROR', 'INVALID_CONTEXT'],
    ['', '{', 400, 'VALIDATION_ERROR', 'PARSE_ERROR'],
  ])('is refused %s with %j in its own words, too', async (path, body, status, code, errorCode) => {
    const answer = await ofrep(path, body);
    expect(answer).toMatchObject({
      status,
      body: {
        success: false,
        code,
        errorCode,
        errorDetails: expect.stringMatching(/./) as string,
        ...(path ? { key: path.slice(1) } : {}),
      },
    });
  });

  it.each([undefined, null, 7, false, [], ['u1'], {}, { id: 'u1' }, '', 'u'.repeat(5_000)])(
    'may send %j for anything in a context: what cannot match does not match',
    async (value) => {
      const names = ['targetingKey', 'email', 'organizationId', 'teamId', 'environment', 'plan'];
      const { status, body } = await ofrep('', { context: Object.fromEntries(names.map((name) => [name, value])) });
      const flags = body.flags as { key: string; reason: string; value: unknown }[];
      expect([status, flags.map(({ key }) => key)]).toEqual([200, ['all', 'beta', 'colour', 'half']]);
      expect(flags[1]).toMatchObject({ value: false, reason: 'STATIC' });
    },
  );

  it('has ids as long as other systems write them', async () => {
    const id = await create({ key: 'own', rules: [{ ...NOT('12345678901234567'), operator: 'equals' }] });
    for (const [last, value] of [
      [7, true],
      [8, false],
    ])
      // which are one number in JavaScript
      expect((await ofrep('/own', `{"context":{"targetingKey":1234567890123456${last}}}`)).body).toMatchObject({
        value,
      });
    await ask(api, `DELETE /v1/flags/${id}`, { headers: owner.headers });
  });

  it('is refused with the error body of every route where the protocol has none', async () => {
    const path = '/public/v1/flags/ofrep/v1/evaluate/flags' as const;
    const answer = await ask(api, `POST ${path}`, { body: '{}', headers: { 'content-type': 'text/plain' } });
    expect([answer.status, Object.keys(answer.body)]).toEqual([415, ['success', 'error', 'code', 'requestId']]);
  });

  it('names its website in a header or in the address', async () => {
    const path = '/public/v1/flags/ofrep/v1/evaluate/flags/all' as const;
    expect((await ask(api, `POST ${path}?clientId=${owner.websiteId}`, { body: { context } })).status).toBe(200);
    const { status, body } = await ask(api, `POST ${path}`, { body: { context } });
    expect([status, body.details]).toEqual([400, [expect.objectContaining({ field: CLIENT })]]);
  });
});

const CLIENT = 'databuddy-client-id';
const ON = { enabled: true, value: true, payload: null };
const OFF = { enabled: false, value: false, payload: null };
const NOT_FOUND = { ...OFF, reason: 'FLAG_NOT_FOUND' };

const NOT = (userId: string) => ({ attribute: 'userId', operator: 'not_in', values: [userId], enabled: true });

const FLAGS: readonly object[] = [
  { key: 'all', websiteId: null, defaultValue: true, payload: { a: [1] } },
  { key: 'half', websiteId: null, type: 'rollout', rollout: { percentage: 0, by: 'user' } },
  {
    key: 'colour',
    type: 'multivariant',
    variants: [
      { key: 'red', value: '#f00', weight: 0 },
      { key: 'blue', value: '#00f', weight: 1 },
    ],
    defaultValue: '#000',
  },
  {
    key: 'beta',
    rules: [
      { attribute: 'email', operator: 'ends_with', values: ['@example.com'], enabled: true },
      { attribute: 'properties.plan', operator: 'equals', values: ['team'], enabled: true },
      { attribute: 'properties.order', operator: 'equals', values: ['9007199254740993'], enabled: true },
    ],
  },
  { key: 'off', status: 'inactive', defaultValue: true },
  { key: 'test-only', environment: 'test' },
  { key: 'both', websiteId: null, environment: 'live', defaultValue: true },
];

let api: TestApi;
let owner: Owner;

const query = (more: object) => new URLSearchParams({ clientId: owner.websiteId, ...more }).toString();
const bulk = (more: object = {}) => ask(api, `GET /public/v1/flags/bulk?${query(more)}`);
const one = (key: string, more: object = {}) => ask(api, `GET /public/v1/flags/evaluate?${query({ key, ...more })}`);
const ofrep = (path: string, body: object | string, headers: Readonly<Record<string, string>> = {}) =>
  ask(api, `POST /public/v1/flags/ofrep/v1/evaluate/flags${path}`, {
    body,
    headers: { 'content-type': 'application/json', [CLIENT]: owner.websiteId, ...headers },
  });

async function create(flag: object): Promise<string> {
  const { organizationId, websiteId, headers } = owner;
  const body = { organizationId, websiteId, name: 'A flag', ...flag };
  const { status, body: created, text } = await ask(api, 'POST /v1/flags', { body, headers });
  if (status !== 201) throw new Error(text);
  return created.id as string;
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  for (const flag of FLAGS) await create(flag);
});

afterAll(() => api.close());
