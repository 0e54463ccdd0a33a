import { ask } from '../../../../test/api/ask';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';

describe('the schema', () => {
  it('describes every route with its body', async () => {
    const { status, body } = await ask(api, 'GET /openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Ledgerline' } });
    const paths = Object.keys(body.paths as object);
    for (const path of ['/health', '/v1/organizations', '/v1/websites', '/v1/links/{id}', '/v1/api-keys', '/v1/query'])
      expect(paths).toContain(path);
    const { schemas } = body.components as { schemas: Record<string, { properties: object; required: string[] }> };
    expect(schemas.CreateLinkDto?.required).toEqual(['organizationId', 'name', 'targetUrl']);
    expect(Object.keys(schemas.CreateLinkDto?.properties ?? {})).toContain('externalId');
  });
});

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());
