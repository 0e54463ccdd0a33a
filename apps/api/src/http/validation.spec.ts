import { ask } from '../../../../test/api/ask';
import { ownerWithWebsite, type Owner } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';

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

describe('a value of another type', () => {
  it.each([
    [{ parameters: {} }, 'parameters', 'Parameters must be an array.'],
    [{ parameters: { name: 'country' } }, 'parameters', 'Parameters must be an array.'],
    [{ parameters: ['country'], filters: { country: 'DE' } }, 'filters', 'Filters must be an array.'],
    [{ parameters: ['country'], filters: 'country' }, 'filters', 'Filters must be an array.'],
  ])('in the place of a list is the only error: %j', async (body, field, message) =>
    expect(await wrongInQuery(body)).toEqual([[field, message]]),
  );

  it.each([[[]], [[[]]], ['x'], [5]])('in the place of an object is the only error: %j', async (rateLimit) => {
    const body = { organizationId: owner.organizationId, name: 'x', scopes: [], rateLimit };
    expect(await wrongIn('POST /v1/api-keys', body)).toEqual([['rateLimit', 'RateLimit must be an object.']]);
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
        ['name', 'Name must be a string.'],
      ]),
    );
    const rateLimit = { max: 1, windowSeconds: 1, [name]: 1 };
    const key = { organizationId: owner.organizationId, name: 'x', scopes: [], rateLimit };
    expect(await wrongIn('POST /v1/api-keys', key)).toEqual([[`rateLimit.${name}`, UNKNOWN]]);
    expect(await wrongIn(`GET /v1/links?organizationId=${owner.organizationId}&${name}=1`)).toEqual([[name, UNKNOWN]]);
  });

  it('is refused within other values too', async () => {
    const inner = { constructor: 'x', a: [{ toString: 1 }] };
    expect(await wrongIn('POST /v1/organizations', { name: inner })).toEqual([
      ['name.constructor', UNKNOWN],
      ['name.a[0].toString', UNKNOWN],
      ['name', 'Name must be a string.'],
    ]);
    const flag = { organizationId: owner.organizationId, key: 'race', name: 'Race', payload: inner };
    expect(await wrongIn('POST /v1/flags', flag)).toEqual([
      ['payload.constructor', UNKNOWN],
      ['payload.a[0].toString', UNKNOWN],
    ]);
    const links = { organizationId: owner.organizationId, links: [{ valueOf: 1 }] };
    expect(await wrongIn('POST /v1/links/bulk', links)).toEqual([['links[0].valueOf', UNKNOWN]]);
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
