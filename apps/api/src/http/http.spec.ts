import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';

describe('every answer', () => {
  it('carries the id of its request, the caller’s own where it is a plain token', async () => {
    const id = async (sent: string) =>
      (await ask(api, 'GET /health', { headers: { 'x-request-id': sent } })).headers['x-request-id'];
    expect(await id('trace-1')).toBe('trace-1');
    expect(await id('two words')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is not stored, sniffed or framed', async () => {
    const { headers } = await ask(api, 'GET /health');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
});

describe('an error', () => {
  it('of a route that does not exist is a 404', async () => {
    expect(await failure('GET /v1/nothing')).toEqual({ status: 404, code: 'NOT_FOUND', error: 'No such route' });
  });

  it('of a method that a path does not have is a 405 with those it has', async () => {
    const { status, body, headers } = await ask(api, 'DELETE /health', owner);
    expect({ status, code: body.code, allow: headers.allow }).toEqual({
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      allow: 'GET, HEAD',
    });
  });

  it.each([
    ['plain text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['no media type at all', 'nonsense'],
  ])('of a body that is %s is a 415', async (_, type) => {
    const headers = { ...owner.headers, 'content-type': type };
    const { status, body } = await ask(api, 'POST /v1/organizations', { headers, body: 'name=x' });
    expect([status, body.code]).toEqual([415, 'VALIDATION_ERROR']);
  });

  it.each([
    ['a malformed address', 'GET /v1/links/%zz', {}],
    ['a body that is no JSON', 'POST /v1/organizations', { body: '{"name":', type: 'application/json' }],
    ['an empty JSON body', 'POST /v1/organizations', { body: '', type: 'application/json' }],
    ['a body that is a list', 'POST /v1/organizations', { body: '[]', type: 'application/json' }],
    [
      'a body that reaches for the prototype',
      'POST /v1/organizations',
      { body: '{"__proto__":{"name":"x"}}', type: 'application/json' },
    ],
    ['a name that is no text', 'POST /v1/organizations', { body: '{"name":{"a":1}}', type: 'application/json' }],
    ['a name with a NUL', 'POST /v1/organizations', { body: '{"name":"a\\u0000b"}', type: 'application/json' }],
    [
      'a name with half a surrogate pair',
      'POST /v1/organizations',
      { body: '{"name":"a\\ud800b"}', type: 'application/json' },
    ],
  ] as const)('of %s is a 400', async (_, route, sent) => {
    const { body, type } = { body: undefined, type: undefined, ...sent };
    const headers = { ...owner.headers, ...(type ? { 'content-type': type } : {}) };
    const answer = await ask(api, route, body === undefined ? { headers } : { headers, body });
    expect({ status: answer.status, ...answer.body }).toMatchObject({
      status: 400,
      success: false,
      code: 'VALIDATION_ERROR',
    });
    expect(answer.body.requestId).toBe(answer.headers['x-request-id']);
  });

  it('of a value of the wrong type is told once', async () => {
    const { body } = await ask(api, 'POST /v1/organizations', { body: { name: 5 }, headers: owner.headers });
    expect(body.details).toEqual([{ field: 'name', message: 'name must be a text.' }]);
  });

  it.each<[string, string, string]>([
    ['a list with a wrong item', '{"name":"x","scopes":["read:data",5,"nope"]}', 'scopes[1] scopes[2]'],
    ['a list of texts with a number', '{"name":"x","scopes":[],"tags":["a",5]}', 'tags[1]'],
    ['a number beyond the finite', '{"name":"x","rateLimit":{"max":1e999,"windowSeconds":1}}', 'rateLimit.max'],
    ['a number in a list beyond the finite', '{"name":"x","tags":["a",-1e999]}', 'tags[1]'],
    ['a way to a prototype', '{"name":"x","resources":{"__proto__":[]}}', 'resources.__proto__'],
    ['a way to a constructor', '{"name":"x","constructor":{"prototype":{}}}', 'constructor'],
    ['101 levels', `{"name":"x","resources":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`, 'resources'],
    ['100 levels', `{"name":"x","scopes":[],"other":${'['.repeat(99)}${']'.repeat(99)}}`, 'other'],
    ['10,000 levels', `{"name":"x","resources":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'resources'],
  ])('of %s names the field', async (_, body, fields) => {
    const sent = body.replace('{', `{"organizationId":"${owner.organizationId}",`);
    const headers = { ...owner.headers, 'content-type': 'application/json' };
    const answer = await ask(api, 'POST /v1/api-keys', { headers, body: sent });
    const names = ((answer.body.details ?? []) as { field: string }[]).map(({ field }) => field);
    expect({ status: answer.status, names }).toMatchObject({ status: 400, names: expect.anything() as unknown });
    expect(names).toEqual(expect.arrayContaining(fields.split(' ')));
  });

  it.each([
    ['{"parameters":["top_pages",5]}', 'parameters[1]'],
    ['{"parameters":["top_pages"],"filters":[{"field":"path","op":"eq","value":"/"},5]}', 'filters[1]'],
    ['{"parameters":["top_pages"],"filters":[{"field":"path","op":"in","value":["/",{}]}]}', 'filters[0].value'],
    ['[{"parameters":["top_pages"]},{"parameters":["top_pages"],"limit":1e999}]', '[1].limit'],
  ])('of the query %s names the field', async (body, field) => {
    const headers = { ...owner.headers, 'content-type': 'application/json' };
    const answer = await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { headers, body });
    const details = answer.body.details as { field: string }[];
    expect([answer.status, details[0]?.field]).toEqual([400, field]);
  });

  it('of a body over 1 MiB is a 413', async () => {
    const body = { name: 'x'.repeat(1024 * 1024) };
    expect(await failure('POST /v1/organizations', body)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it('of a store that is away is a 503 that says when to come back', async () => {
    for (const error of [new LogUnavailable('away'), Object.assign(new Error('no'), { code: 'ECONNREFUSED' })]) {
      const spy = jest.spyOn(store(), 'append').mockRejectedValueOnce(error);
      const { status, headers } = await ask(api, 'POST /v1/organizations', { body: { name: 'x' }, ...owner });
      expect({ status, after: headers['retry-after'] }).toEqual({ status: 503, after: '1' });
      spy.mockRestore();
    }
  });

  it('of a store that was lost during a write says that the outcome is unknown, and how to repeat it', async () => {
    const spy = jest.spyOn(store(), 'append').mockRejectedValueOnce(new OutcomeUnknown('away'));
    const { status, headers, body } = await ask(api, 'POST /v1/organizations', { body: { name: 'x' }, ...owner });
    spy.mockRestore();
    expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'SERVICE_UNAVAILABLE']);
    expect(body.error).toContain('may be stored or not. Send it again with the same Idempotency-Key');
  });

  it('that is a bug tells its cause to the log alone', async () => {
    const spy = jest.spyOn(store(), 'append').mockRejectedValueOnce(new TypeError('the cause'));
    const answer = await ask(api, 'POST /v1/organizations', { body: { name: 'x' }, ...owner });
    spy.mockRestore();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('cause');
    const line = api.log.find((each) => each.includes('the cause'));
    expect(JSON.parse(line!)).toMatchObject({ level: 'error', requestId: answer.body.requestId });
  });
});

let api: TestApi;
let owner: Owner;

const store = () => api.app.get<EventStore>(EVENT_STORE);

async function failure(route: 'GET /v1/nothing' | 'DELETE /health' | 'POST /v1/organizations', body?: object) {
  const answer = await ask(api, route, { headers: owner.headers, ...(body ? { body } : {}) });
  return { status: answer.status, code: answer.body.code, error: answer.body.error };
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
});
afterAll(() => api.close());
