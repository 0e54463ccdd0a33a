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
    expect(schemas.LinkDto?.properties).toMatchObject({ id: { example: expect.any(String) as string } });
    expect(schemas.LinkDto?.properties).toMatchObject({ revision: { type: 'integer' } });
  });

  it('says of every route what it does, who may use it, how it fails and what it answers', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as { paths: Record<string, Record<string, Route>> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, route]) => ({ name: `${method} ${path}`, ...route })),
    );
    for (const { name, summary, description, responses, security, ...rest } of routes) {
      expect({ name, said: [summary, description].every(Boolean) }).toEqual({ name, said: true });
      expect({ name, ...responses['429'] }).toMatchObject({ name, content: { 'application/json': {} } });
      if (!responses['204']) expect({ name, ...(responses['200'] ?? responses['201']) }).toHaveProperty('content');
      expect(security.length).toBeGreaterThan(0);
      expect(rest).not.toHaveProperty('x-permissions');
    }
    const access = (path: string, method: string) => paths[path]?.[method]?.description;
    expect(access('/v1/query/types', 'get')).toBe('Public.');
    expect(access('/v1/links', 'post')).toBe('For keys with `write:data`, and people who are signed in.');
    expect(access('/v1/api-keys', 'post')).toBe('For people who are owner or admin.');
    expect(access('/v1/query', 'post')).toMatch(/^Public types of public websites .* keys with `read:data`/);
  });

  it('describes the routes of accounts, which take no headers of commands', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as { paths: Record<string, Record<string, Route>> };
    const accounts = Object.keys(paths).filter((path) => path.startsWith('/v1/auth/'));
    expect(accounts.sort()).toEqual([
      '/v1/auth/change-password',
      '/v1/auth/get-session',
      '/v1/auth/request-password-reset',
      '/v1/auth/reset-password',
      '/v1/auth/sign-in/email',
      '/v1/auth/sign-out',
      '/v1/auth/sign-up/email',
    ]);
    for (const path of accounts) {
      const route = paths[path]?.post ?? paths[path]?.get;
      expect(route?.parameters.map(({ name }) => name)).not.toContain('Idempotency-Key');
      expect(Object.keys(route?.responses ?? {})).toEqual(expect.arrayContaining(['200', '400', '401', '403', '429']));
    }
    expect(paths['/v1/auth/sign-up/email']?.post?.responses).toHaveProperty('409');
    expect(paths['/v1/auth/change-password']?.post?.description).toBe('For people who are signed in.');
    expect(paths['/v1/auth/sign-in/email']?.post?.description).toBe('Public.');
  });

  it('names the headers that are taken and answered', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as { paths: Record<string, Record<string, Route>> };
    const headers = (path: string, method: string, status: string) =>
      Object.keys(paths[path]?.[method]?.responses[status]?.headers ?? {});
    const taken = (path: string, method: string) => paths[path]?.[method]?.parameters.map(({ name }) => name);
    const budget = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    expect(headers('/v1/links', 'get', '200')).toEqual(budget);
    expect(headers('/v1/links', 'post', '201')).toEqual([...budget, 'X-Log-Position']);
    expect(headers('/v1/links', 'post', '429')).toEqual([...budget, 'Retry-After']);
    expect(headers('/health/ready', 'get', '503')).toEqual([...budget, 'Retry-After']);
    expect(taken('/v1/links', 'post')).toEqual(['Idempotency-Key', 'X-Correlation-ID']);
    expect(taken('/v1/query', 'post')).toEqual(['website_id', 'link_id', 'timezone', 'X-Min-Position']);
  });
});

interface Route {
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
}

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());
