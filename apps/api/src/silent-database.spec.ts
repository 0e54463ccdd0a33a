import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, PASSWORD, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { type BreakableProxy, proxyTo } from '../../../test/network/breakable-proxy';

jest.setTimeout(60_000);

describe('an api whose database answers nothing any more', () => {
  it('refuses what waits for it, says of a change that its outcome is unknown, and is alive and as ready as it was', async () => {
    const key = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data', 'write:data'] }) };
    const link = { organizationId: owner.organizationId, name: 'x', targetUrl: 'https://example.com/' };
    await ask(api, 'GET /v1/links', { headers: { ...key, 'x-organization': owner.organizationId } });
    proxy.swallow();
    const [probes, ...answers] = await Promise.all([
      Promise.all([ask(api, 'GET /health'), ask(api, 'GET /health/ready')]),
      ask(api, `POST /v1/query?website_id=${owner.websiteId}`, {
        headers: owner.headers,
        body: { parameters: ['top_pages'], preset: 'last_7d' },
      }),
      ask(api, 'POST /v1/links', { headers: key, body: link }),
      ask(api, 'POST /v1/auth/sign-in/email', { body: { email: owner.email, password: PASSWORD } }),
    ]);
    const metrics = await ask(api, 'GET /metrics');
    await proxy.mend();
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, 'SERVICE_UNAVAILABLE']),
    );
    expect(answers[1].body.error).toContain('may be stored or not');
    expect(probes[0].status).toBe(200);
    expect(probes[1].body).toMatchObject({ database: 'ok', eventStore: 'ok' });
    expect([metrics.status, metrics.text]).toEqual([200, expect.stringContaining('ledgerline_stores_up 0\n')]);
  });

  it('answers a route in JSON that fails after it has announced something else', async () => {
    const failing = jest.spyOn(api.app.get(Metrics), 'text').mockRejectedValue(new Error('a bug'));
    const { status, body } = await ask(api, 'GET /metrics');
    failing.mockRestore();
    expect([status, body.code]).toEqual([500, 'INTERNAL']);
  });
});

let database: TestDatabase;
let proxy: BreakableProxy;
let api: TestApi;
let owner: Owner;

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  proxy = await proxyTo(url.hostname, Number(url.port));
  url.port = String(proxy.port);
  api = await startTestApi({ DATABASE_URL: url.href });
  owner = await ownerWithWebsite(api);
});

afterAll(async () => {
  await api.close();
  await proxy.close();
  await database.drop();
});
