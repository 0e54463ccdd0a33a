import { ask } from '../../../../test/api/ask';
import { newKey, ownerWithWebsite } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { LiveDirectory } from '../directory/live-directory';

describe('a key the directory does not know', () => {
  it('is unavailable, not wrong, while the directory lags behind the store', async () => {
    jest.spyOn(directory, 'refreshed').mockResolvedValue(false);
    const { status, headers, body } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } });
    expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(headers['retry-after']).toBeTruthy();
  });

  it('is wrong once the directory knows everything', async () => {
    jest.spyOn(directory, 'refreshed').mockResolvedValue(true);
    const { status, body } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } });
    expect([status, body.code]).toEqual([401, 'AUTH_REQUIRED']);
  });
});

let api: TestApi;
let directory: LiveDirectory;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  directory = api.app.get(LiveDirectory);
  key = await newKey(api, await ownerWithWebsite(api), { scopes: ['read:data'] });
});

beforeEach(() => void jest.spyOn(directory, 'key').mockReturnValue(undefined));
afterEach(() => jest.restoreAllMocks());
afterAll(() => api.close());
