import { ask } from '../../../../test/api/ask';
import { ownerWithWebsite } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';

describe('X-Min-Position', () => {
  it('delays a request until the registry includes a write', async () => {
    const owner = await ownerWithWebsite(api);
    const body = { organizationId: owner.organizationId, name: 'New', domain: 'new.example' };
    const written = await ask(api, 'POST /v1/websites', { body, headers: owner.headers });
    const position = written.headers['x-log-position'] ?? '';
    const awaited = jest.spyOn(api.app.get(LiveRegistry), 'hasReached');
    const headers = { ...owner.headers, 'x-min-position': position };
    const read = await ask(api, `GET /v1/websites/${written.body.id as string}`, { headers });
    expect([read.status, read.body]).toEqual([200, written.body]);
    expect(awaited).toHaveBeenCalledWith(position.slice(2), 2_000);
  });

  it('delays nobody without a credential', async () => {
    const awaited = jest.spyOn(api.app.get(LiveRegistry), 'hasReached');
    const headers = { 'x-min-position': 'e:999999' };
    expect((await ask(api, 'GET /v1/organizations', { headers })).status).toBe(401);
    expect((await ask(api, 'GET /v1/organizations', { headers: { ...headers, 'x-api-key': 'svc_no' } })).status).toBe(
      401,
    );
    expect(awaited).not.toHaveBeenCalledWith('999999', expect.anything());
  });

  it('is answered without it after 2 s', async () => {
    const owner = await ownerWithWebsite(api);
    jest.spyOn(api.app.get(LiveRegistry), 'hasReached').mockResolvedValue(false);
    const headers = { ...owner.headers, 'x-min-position': 'e:999999' };
    expect((await ask(api, `GET /v1/organizations`, { headers })).status).toBe(200);
  });
});

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterEach(() => jest.restoreAllMocks());
afterAll(() => api.close());
