import { Registry } from '@ledgerline/domain/registry/registry';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe('a key that is not in the registry', () => {
  it('is unavailable, not wrong, while the registry lags behind the store', async () => {
    jest.spyOn(live, 'catchUp').mockRejectedValue(new LogUnavailable('behind'));
    const { status, headers, body } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } });
    expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(headers['retry-after']).toBeTruthy();
  });

  it('is wrong once the registry has caught up', async () => {
    jest.spyOn(live, 'catchUp').mockResolvedValue();
    const { status, body } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } });
    expect([status, body.code]).toEqual([401, 'AUTH_REQUIRED']);
  });
});

let api: TestApi;
let registry: Registry;
let live: LiveRegistry;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  registry = api.app.get(Registry);
  live = api.app.get(LiveRegistry);
  key = await newKey(api, await ownerWithWebsite(api), { scopes: ['read:data'] });
});

beforeEach(() => void jest.spyOn(registry, 'find').mockReturnValue(undefined));
afterEach(() => jest.restoreAllMocks());
afterAll(() => api.close());
