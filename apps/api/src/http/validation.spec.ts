import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const FILTER = { field: 'path', op: 'eq', value: '/' };
const ITEM = { parameter: 'Each parameter must be a name or an object with a name.' };
const WRONG_FILTER = 'Each filter must be an object with field, op and value.';
const UNKNOWN = 'Is not a known field.';

describe('an item of a list', () => {
  it.each([
    [[[]], 'parameters[0]'],
    [['summary_metrics', []], 'parameters[1]'],
    [[[[]]], 'parameters[0]'],
    [[['summary_metrics']], 'parameters[0]'],
    [[[{ name: 'summary_metrics' }]], 'parameters[0]'],
    [[null], 'parameters[0]'],
  ])('that is no query type is named alone: %j', async (parameters, field) => {
    expect(await wrongInQuery({ parameters })).toEqual([[field, ITEM.parameter]]);
    const batch = [{ parameters: ['country'] }, { parameters }];
    expect(await wrongInQuery(batch)).toEqual([[`[1].${field}`, ITEM.parameter]]);
  });

  it.each([
    [[[]], 'filters[0]'],
    [[[FILTER]], 'filters[0]'],
    [[FILTER, []], 'filters[1]'],
    [[5], 'filters[0]'],
    [[null], 'filters[0]'],
  ])('that is no filter is named alone: %j', async (filters, field) =>
    expect(await wrongInQuery({ parameters: ['country'], filters })).toEqual([[field, WRONG_FILTER]]),
  );

  it.each([
    [{ rules: [[]] }, 'rules[0]', 'Each rule must be an object.'],
    [{ rules: [RULE(), [RULE()], 5] }, 'rules[1] rules[2]', 'Each rule must be an object.'],
    [{ variants: [[[]]] }, 'variants[0]', 'Each variant must be an object.'],
  ])('that is no part of a flag is named alone: %j', async (wrong, fields, message) => {
    const body = { organizationId: owner.organizationId, key: 'beta', name: 'Beta', ...wrong };
    expect(await wrongIn('POST /v1/flags', body)).toEqual(fields.split(' ').map((field) => [field, message]));
  });
});

describe('a refusal', () => {
  it('lists twenty faults and counts the others', async () => {
    const body = { parameters: ['country'], filters: Array.from({ length: 50 }, () => ({})) };
    const { body: one } = await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, {
      headers: owner.headers,
      body,
    });
    const { body: two } = await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, {
      headers: owner.headers,
      body: [body, body],
    });
    expect([one.details, two.details].map((details) => (details as unknown[]).length)).toEqual([20, 20]);
    expect([one.error, two.error]).toEqual([
      'The request is not valid: 20 faults are listed, and 130 more',
      'The request is not valid: 20 faults are listed, and 280 more',
    ]);
  });

  it('names a list that is too long beside other wrong fields, and nothing within it', async () => {
    const filters = Array.from({ length: 51 }, () => ({}));
    expect(await wrongInQuery({ parameters: ['country'], filters, limit: 0 })).toEqual([
      ['filters', 'filters must hold at most 50 entries.'],
      ['limit', 'limit must be a whole number from 1 to 10,000.'],
    ]);
  });

  it('says how many objects a request may hold in all', async () => {
    const any = Array.from({ length: 20 }, () => FILTER);
    const body = { parameters: ['country'], filters: Array.from({ length: 50 }, () => ({ any })) };
    const { status } = await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { headers: owner.headers, body });
    expect(status).not.toBe(400);
    expect(await wrongInQuery([body, body])).toEqual([['[1]', 'Must hold at most 1,200 objects in all.']]);
  });
});

describe('a value of another type', () => {
  it.each([
    [{ parameters: {} }, 'parameters', 'parameters must be a list.'],
    [{ parameters: { name: 'country' } }, 'parameters', 'parameters must be a list.'],
    [{ parameters: ['country'], filters: { country: 'DE' } }, 'filters', 'filters must be a list.'],
    [{ parameters: ['country'], filters: 'country' }, 'filters', 'filters must be a list.'],
  ])('in the place of a list is the only error: %j', async (body, field, message) =>
    expect(await wrongInQuery(body)).toEqual([[field, message]]),
  );

  it.each([[[]], [[[]]], ['x'], [5]])('in the place of an object is the only error: %j', async (rateLimit) => {
    const body = { organizationId: owner.organizationId, name: 'x', scopes: ['read:data'], rateLimit };
    expect(await wrongIn('POST /v1/api-keys', body)).toEqual([['rateLimit', 'rateLimit must be an object.']]);
  });
});

describe('a field that is called like something of every object', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('is no known field: %s', async (name) => {
    expect(await wrongInQuery({ parameters: ['country'], [name]: 1 })).toEqual([[name, UNKNOWN]]);
    const filters = [FILTER, { ...FILTER, [name]: 'x' }];
    expect(await wrongInQuery({ parameters: ['country'], filters })).toEqual([[`filters[1].${name}`, UNKNOWN]]);
    expect(await wrongIn('POST /v1/organizations', { [name]: {} })).toEqual(
      expect.arrayContaining([
        [name, UNKNOWN],
        ['name', 'name is missing.'],
      ]),
    );
    const rateLimit = { max: 1, windowSeconds: 1, [name]: 1 };
    const key = { organizationId: owner.organizationId, name: 'x', scopes: ['read:data'], rateLimit };
    expect(await wrongIn('POST /v1/api-keys', key)).toEqual([[`rateLimit.${name}`, UNKNOWN]]);
    expect(await wrongIn(`GET /v1/links?organizationId=${owner.organizationId}&${name}=1`)).toEqual([[name, UNKNOWN]]);
  });

  it('is refused with the value that holds it', async () => {
    const inner = { constructor: 'x', a: [{ toString: 1 }] };
    expect(await wrongIn('POST /v1/organizations', { name: inner })).toEqual([['name', 'name must be a text.']]);
  });

  it('is kept where a field holds any JSON', async () => {
    const json = { constructor: 'Ferrari', a: [[{ toString: { valueOf: [1] } }], 'x', null] };
    const flag = { organizationId: owner.organizationId, key: 'race', name: 'Race', payload: json, defaultValue: json };
    const variants = [{ key: 'a', value: [json], weight: 1 }];
    const rules = [{ attribute: 'properties.constructor', operator: 'equals', values: ['McLaren'], enabled: true }];
    const body = { ...flag, type: 'multivariant', websiteId: owner.websiteId, variants, rules };
    const created = await ask(api, 'POST /v1/flags', { body, headers: owner.headers });
    expect(created).toMatchObject({ status: 201, body: { payload: json, defaultValue: json, variants, rules } });
    const route = `POST /public/v1/flags/ofrep/v1/evaluate/flags/race?clientId=${owner.websiteId}` as const;
    const reasonFor = async (constructor: string) =>
      (await ask(api, route, { body: { context: { targetingKey: 'a', constructor } } })).body['reason'];
    expect(await Promise.all([reasonFor('McLaren'), reasonFor('Ferrari')])).toEqual(['TARGETING_MATCH', 'SPLIT']);
    const wrong = { ...flag, key: 'other', variants: [{ ...variants[0], toString: 1 }] };
    expect(await wrongIn('POST /v1/flags', wrong)).toEqual([['variants[0].toString', UNKNOWN]]);
  });

  it('fails one link of several', async () => {
    const link = { name: 'Sale', targetUrl: 'https://example.com/' };
    const body = { organizationId: owner.organizationId, links: [link, { ...link, constructor: 1 }] };
    const answer = await ask(api, 'POST /v1/links/bulk', { body, headers: owner.headers });
    expect(answer.body).toMatchObject({
      created: 1,
      results: [{ success: true }, { success: false, details: [{ field: 'constructor', message: UNKNOWN }] }],
    });
  });
});

describe('a body that is no object', () => {
  const sentence = 'The body must be a JSON object';

  it.each(['null', '[]', '[{}]', '"x"', '5', 'true'])('is refused with one sentence: %s', async (body) => {
    const query = `POST /v1/query?website_id=${owner.websiteId}` as const;
    const routes = ['POST /v1/links', 'PATCH /v1/links/link_1', 'POST /v1/auth/sign-in/email', query] as const;
    for (const route of body.startsWith('[') ? routes.slice(0, 3) : routes)
      expect(await refusal(route, body)).toEqual([400, sentence, [{ field: '', message: 'Must be a JSON object.' }]]);
  });

  it('is named in a batch', async () =>
    expect(await wrongInQuery([{ parameters: ['country'] }, null, []])).toEqual([
      ['[1]', 'Must be a JSON object.'],
      ['[2]', 'Must be a JSON object.'],
    ]));
});

describe('a JSON body without content', () => {
  const headers = () => ({ ...owner.headers, 'content-type': 'application/json' });

  it('is none where an operation takes none', async () => {
    const link = { organizationId: owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/' };
    const { body: made } = await ask(api, 'POST /v1/links', { body: link, headers: owner.headers });
    const key = { organizationId: owner.organizationId, name: 'Key', scopes: ['read:data'] };
    const { body: created } = await ask(api, 'POST /v1/api-keys', { body: key, headers: owner.headers });
    const path = `/v1/api-keys/${String(created.id)}`;
    for (const [route, status] of [
      [`DELETE /v1/links/${String(made.id)}`, 204],
      [`POST ${path}/rotate`, 200],
      [`POST ${path}/revoke`, 200],
      [`DELETE ${path}`, 204],
      ['GET /v1/organizations', 200],
    ] as const)
      expect([route, (await ask(api, route, { headers: headers() })).status]).toEqual([route, status]);
  });

  it('is refused where an operation takes one', async () => {
    for (const route of ['POST /v1/links', 'PATCH /v1/links/link_1', `POST /v1/query?website_id=${owner.websiteId}`])
      for (const sent of [{ headers: headers() }, { headers: headers(), body: '' }, { headers: owner.headers }]) {
        const { status, body } = await ask(api, route as 'POST /', sent);
        expect([route, status, body.error]).toEqual([route, 400, 'The body must be a JSON object; it is empty']);
      }
  });
});

describe('a body that is not UTF-8', () => {
  it.each([
    ['a byte that begins nothing', [0xff]],
    ['half a character', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a longer form of a shorter character', [0xc0, 0xaf]],
  ])('is refused: %s', async (_, bytes) => {
    const payload = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const headers = { ...owner.headers, 'content-type': 'application/json' };
    const answer = await api.app.inject({ method: 'POST', url: '/v1/organizations', headers, payload });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'The body must be UTF-8' }]);
  });
});

describe('a time that does not exist', () => {
  const example = 'must be a time that exists, such as 2030-01-31T12:00:00Z.';

  it.each([
    '2127-02-30T00:00:00Z',
    '2127-04-31T10:00:00+02:00',
    '2127-13-01T00:00:00Z',
    '2127-03-10T24:00:00Z',
    '2127-03-10T12:00:00',
    '9999-12-31T23:59:59-12:00',
  ])('is refused: %s', async (time) => {
    const { organizationId } = owner;
    const link = { organizationId, name: 'Sale', targetUrl: 'https://example.com/', expiresAt: time };
    expect(await wrongIn('POST /v1/links', link)).toEqual([['expiresAt', `expiresAt ${example}`]]);
    const key = { organizationId, name: 'Key', scopes: ['read:data'], expiresAt: time };
    expect(await wrongIn('POST /v1/api-keys', key)).toEqual([['expiresAt', `expiresAt ${example}`]]);
    const path = `GET /v1/audit-log?organizationId=${organizationId}&from=${encodeURIComponent(time)}` as const;
    expect(await wrongIn(path)).toEqual([['from', `from ${example}`]]);
  });

  it('is none on the last day of February in a leap year', async () => {
    const path = `GET /v1/audit-log?organizationId=${owner.organizationId}&from=2024-02-29T00:00:00Z` as const;
    expect((await ask(api, path, owner)).status).toBe(200);
  });
});

describe('a web address', () => {
  it.each([
    ['https://user:secret@example.com/', 'must not hold a user name or password'],
    ['https://example.com/\x01', 'must not hold white space, control characters or halves of characters'],
    [`https://example.com/${'a'.repeat(9_000)}`, 'must have at most 8192 characters, percent-encoded'],
    ['ftp://example.com/', 'must be an http(s) address'],
    [5, 'must be an http(s) address'],
  ])('is refused with the reason: %.40s', async (targetUrl, reason) => {
    const link = { organizationId: owner.organizationId, name: 'Sale', targetUrl };
    expect(await wrongIn('POST /v1/links', link)).toEqual([['targetUrl', `targetUrl ${reason}.`]]);
  });
});

function RULE() {
  return { attribute: 'email', operator: 'in', values: ['a@example.com'], enabled: true };
}

let api: TestApi;
let owner: Owner;

async function wrongIn(route: Parameters<typeof ask>[1], body?: object): Promise<unknown> {
  const answer = await ask(api, route, { headers: owner.headers, ...(body ? { body } : {}) });
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  return (answer.body.details as { field: string; message: string }[]).map(({ field, message }) => [field, message]);
}

const wrongInQuery = (body: object) => wrongIn(`POST /v1/query?website_id=${owner.websiteId}`, body);

async function refusal(route: Parameters<typeof ask>[1], body: string): Promise<unknown[]> {
  const headers = { ...owner.headers, 'content-type': 'application/json' };
  const answer = await ask(api, route, { body, headers });
  return [answer.status, answer.body.error, answer.body.details];
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000', LIMIT_QUERY_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});
afterAll(() => api.close());
