import { ask } from '@test/api/ask';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { fakeOnly } from '@test/processes/fake-timers';

/** Cases of access that the matrix of test/access does not show. */
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

  it('says what it needs, of what is elsewhere as of what there is not', async () => {
    const stranger = await ownerWithWebsite(api);
    const needs = async (route: 'GET /', headers: Readonly<Record<string, string>>, body?: object) => {
      const answer = await ask(api, route, body ? { headers, body } : { headers });
      return [answer.status, answer.body['error'], answer.body['details']];
    };
    const refused = (details: object) => [403, 'Insufficient permissions', [details]];
    const query = (id: string, headers: Readonly<Record<string, string>>) =>
      needs(`POST /v1/query?website_id=${id}` as 'GET /', headers, { parameters: ['summary_metrics'] });
    for (const id of [stranger.websiteId, 'web_nothing']) {
      expect(await query(id, { 'x-api-key': key })).toEqual(refused({ needs: 'read:data', of: 'website' }));
      expect(await query(id, owner.headers)).toEqual(refused({ needs: 'member', of: 'website' }));
    }
    const keys = `GET /v1/api-keys?organizationId=${owner.organizationId}` as 'GET /';
    expect(await needs(keys, { 'x-api-key': key })).toEqual(refused({ needs: 'person' }));
    const member = await colleague(api, owner, 'member');
    expect(await needs(keys, member.headers)).toEqual(refused({ needs: 'admin', of: 'organization' }));
    const flags = `GET /v1/flags?organizationId=${owner.organizationId}` as 'GET /';
    expect(await needs(flags, { 'x-api-key': key })).toEqual(refused({ needs: 'manage:flags' }));
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
