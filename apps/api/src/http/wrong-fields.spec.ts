import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe('a wrong field', () => {
  const link = { name: 'Sale', targetUrl: 'https://example.com/' };
  const key = { name: 'Key', scopes: ['read:data'] };
  const monitor = { name: 'Shop', url: 'https://example.com/' };
  const flag = { key: 'beta', name: 'Beta' };
  const rule = { attribute: 'email', operator: 'in', values: ['a@example.com'], enabled: true };

  it.each([
    ['links', {}, { name: 'name is missing.', targetUrl: 'targetUrl is missing.' }],
    ['links', { ...link, name: 5 }, { name: 'name must be a text.' }],
    ['links', { ...link, name: ' ' }, { name: 'name must not be empty.' }],
    ['links', { ...link, name: 'x'.repeat(256) }, { name: 'name must have at most 255 characters.' }],
    ['links', { ...link, forwardQuery: 'yes' }, { forwardQuery: 'forwardQuery must be true or false.' }],
    ['links', { ...link, trackVisits: 0 }, { trackVisits: 'trackVisits must be true or false.' }],
    ['api-keys', { ...key, scopes: 'read:data' }, { scopes: 'scopes must be a list.' }],
    ['api-keys', { ...key, scopes: ['read:data', 'read:data'] }, { scopes: 'scopes must not hold the same twice.' }],
    [
      'api-keys',
      { ...key, scopes: ['read'] },
      { 'scopes[0]': 'Must be one of read:data, write:data, track:events, manage:flags, read:audit.' },
    ],
    [
      'api-keys',
      { ...key, tags: ['a', '', 'x'.repeat(51), 5, '\n'] },
      {
        'tags[1]': 'Must not be empty.',
        'tags[2]': 'Must have at most 50 characters.',
        'tags[3]': 'Must be a text.',
        'tags[4]': 'Must not hold control characters.',
      },
    ],
    [
      'api-keys',
      { ...key, tags: Array.from({ length: 11 }, (_, at) => String(at)) },
      { tags: 'tags must hold at most 10 entries.' },
    ],
    [
      'api-keys',
      { ...key, rateLimit: { max: 0.5, windowSeconds: '1' } },
      {
        'rateLimit.max': 'max must be a whole number from 1 to 1,000,000.',
        'rateLimit.windowSeconds': 'windowSeconds must be a whole number from 1 to 86,400.',
      },
    ],
    ['monitors', { ...monitor, method: 'PUT' }, { method: 'method must be one of GET, HEAD, POST.' }],
    [
      'monitors',
      { ...monitor, intervalSeconds: 5 },
      { intervalSeconds: 'intervalSeconds must be a whole number from 30 to 3,600.' },
    ],
    [
      'flags',
      { ...flag, type: 'rollout', rollout: { percentage: 101, by: 'user' } },
      { 'rollout.percentage': 'percentage must be a number from 0 to 100.' },
    ],
    [
      'flags',
      { ...flag, rules: [{ ...rule, operator: 'semver_gte', values: ['2'] }] },
      { 'rules[0].values': 'values must hold one version such as 2.10.0.' },
    ],
  ])('has one sentence: %s %j', async (path, body, faults) => {
    const sent = { organizationId: owner.organizationId, ...body };
    const found = (await wrongIn(`POST /v1/${path}` as 'POST /', sent)) as [string, string][];
    expect(found).toHaveLength(Object.keys(faults).length);
    expect(Object.fromEntries(found)).toEqual(faults);
  });

  it.each([
    [{ sortBy: 'name', sortOrder: 'up' }, { sortOrder: 'sortOrder must be asc or desc.' }],
    [{ sortOrder: 'asc' }, { sortOrder: 'sortOrder needs sortBy.' }],
    [{ limit: '5' }, { limit: 'limit must be a whole number from 1 to 10,000.' }],
    [{ granularity: 'daily, hourly' }, { granularity: 'granularity must be one of daily, hourly, weekly, monthly.' }],
    [{ parameters: [] }, { parameters: 'parameters must name at least one query type.' }],
    [{ parameters: undefined }, { parameters: 'parameters is missing.' }],
  ])('has one sentence in a question: %j', async (body, faults) => {
    const route = `POST /v1/query?website_id=${owner.websiteId}` as const;
    const found = (await wrongIn(route, { parameters: ['country'], ...body })) as [string, string][];
    expect(found).toHaveLength(Object.keys(faults).length);
    expect(Object.fromEntries(found)).toEqual(faults);
  });

  it('has one sentence also in accounts', async () => {
    const body = { email: 'ada', password: 'short', name: '' };
    expect(await wrongIn('POST /v1/auth/sign-up/email', body)).toEqual([
      ['email', 'email must be an email address such as ada@example.com.'],
      ['password', 'password must have at least 10 characters.'],
      ['name', 'name must not be empty.'],
    ]);
  });

  it('has its sentence where its value is taken', async () => {
    const body = { organizationId: owner.organizationId, ...flag };
    await ask(api, 'POST /v1/flags', { body, headers: owner.headers });
    const { status, body: refused } = await ask(api, 'POST /v1/flags', { body, headers: owner.headers });
    expect([status, refused.details]).toEqual([409, [{ field: 'key', message: 'This key is taken.' }]]);
  });
});

let api: TestApi;
let owner: Owner;

async function wrongIn(route: Parameters<typeof ask>[1], body: object): Promise<unknown> {
  const answer = await ask(api, route, { headers: owner.headers, body });
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  return (answer.body.details as { field: string; message: string }[]).map(({ field, message }) => [field, message]);
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});
afterAll(() => api.close());
