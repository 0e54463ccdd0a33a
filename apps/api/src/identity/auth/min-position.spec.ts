import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ask } from '@test/api/ask';
import { ownerWithWebsite } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { RegistryPosition } from '../../links/list-links.query';
import { ProjectedPositions } from '../../query/execution/projected-positions';

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

  it('is refused by every route that takes a credential when it is none', async () => {
    const owner = await ownerWithWebsite(api);
    const of = `organizationId=${owner.organizationId}`;
    const routes = ['/v1/organizations', `/v1/links?${of}`, `/v1/audit-log?${of}`, `/v1/websites?${of}`, '/v1/links/x'];
    for (const position of ['zzz', 'e:', 'i0:x', 'e:1,zzz', ''])
      for (const path of routes) {
        const headers = { ...owner.headers, 'x-min-position': position };
        const { status, body } = await ask(api, `GET ${path}`, { headers });
        expect([path, status, body.details]).toEqual([
          path,
          400,
          [expect.objectContaining({ field: 'X-Min-Position' })],
        ]);
      }
    const query = `POST /v1/query?website_id=${owner.websiteId}` as const;
    const refused = await ask(api, query, { body: {}, headers: { ...owner.headers, 'x-min-position': 'zzz' } });
    expect([refused.status, refused.body.details]).toMatchObject([400, [{ field: 'X-Min-Position' }]]);
  });

  it('is waited for 2 s in all, by the guard and by what answers', async () => {
    const owner = await ownerWithWebsite(api);
    let begun = Infinity;
    jest.spyOn(api.app.get(LiveRegistry), 'hasReached').mockImplementation(() => {
      begun = performance.now();
      return Promise.resolve(false);
    });
    const ofLinks = jest.spyOn(api.app.get(RegistryPosition), 'hasReached').mockResolvedValue(false);
    const ofQueries = jest.spyOn(api.app.get(ProjectedPositions), 'include').mockResolvedValue(false);
    const headers = { ...owner.headers, 'x-min-position': 'e:999999,i0:7' };
    await ask(api, `GET /v1/links?organizationId=${owner.organizationId}`, { headers });
    expect(ofLinks.mock.calls).toEqual([['999999', expect.any(Number)]]);
    expect(ofLinks.mock.calls[0]![1]).toBeLessThanOrEqual(begun + 2_000);
    const body = { parameters: ['summary_metrics'] };
    await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { body, headers });
    const [awaited] = ofQueries.mock.calls[0]!;
    expect(awaited).toMatchObject({ decided: '999999', observed: new Map([[0, 7]]) });
    expect(awaited.until).toBeLessThanOrEqual(begun + 2_000);
  });

  it('is not waited for by a query of a public website without a credential', async () => {
    const owner = await ownerWithWebsite(api);
    const website = { organizationId: owner.organizationId, name: 'Open', domain: 'open.example', isPublic: true };
    const created = await ask(api, 'POST /v1/websites', { body: website, headers: owner.headers });
    const included = jest.spyOn(api.app.get(ProjectedPositions), 'include').mockResolvedValue(false);
    const headers = { 'x-min-position': 'i0:7' };
    const query = `POST /v1/query?website_id=${created.body.id as string}` as const;
    await ask(api, query, { body: { parameters: ['top_pages'] }, headers });
    expect(included.mock.calls[0]?.[0].until).toBe(0);
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
