import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { fakeOnly } from '@test/processes/fake-timers';

/** What the matrix of test/access does not show. */
describe('access', () => {
  it('takes both headers, and both at once when they agree', async () => {
    const sent: Record<string, string>[] = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer  ${key}` },
    ];
    for (const headers of [...sent, { 'x-api-key': key, authorization: `Bearer ${key}` }])
      expect((await ask(api, 'GET /v1/query/websites', { headers })).status).toBe(200);
  });

  it('is forbidden to changes that another origin’s page makes with a session', async () => {
    const body = { name: 'Forged' };
    const from = (origin: string) =>
      ask(api, 'POST /v1/organizations', { body, headers: { ...owner.headers, origin } });
    expect((await from('https://evil.example')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from('http://localhost:3000')).status).toBe(201);
  });

  it('of a key ends when it expires', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data'], expiresAt }) };
    expect((await ask(api, 'GET /v1/query/websites', { headers })).status).toBe(200);
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.parse(expiresAt) + 1 });
    const refused = await ask(api, 'GET /v1/query/websites', { headers });
    jest.useRealTimers();
    expect(refused).toMatchObject({ status: 401, body: { code: 'AUTH_REQUIRED', error: 'Authentication required' } });
  });
});

let api: TestApi;
let owner: Owner;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data'] });
});

afterAll(() => api.close());
