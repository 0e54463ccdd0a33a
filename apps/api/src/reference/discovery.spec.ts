import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { SCOPES } from '@ledgerline/contracts/events/api-key.events';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { ask } from '@test/api/ask';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { CATALOGUE } from '../query/types/catalogue';

describe('the schema', () => {
  it('describes every route with its body', async () => {
    const { status, body } = await ask(api, 'GET /openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Ledgerline' } });
    const paths = Object.keys(body.paths as object);
    for (const path of ['/health', '/v1/organizations', '/v1/websites', '/v1/links/{id}', '/v1/api-keys', '/v1/query'])
      expect(paths).toContain(path);
    const { schemas } = body.components as { schemas: Record<string, { properties: object; required: string[] }> };
    expect(new Set(schemas.CreateLinkDto?.required)).toEqual(new Set(['organizationId', 'name', 'targetUrl']));
    expect(Object.keys(schemas.CreateLinkDto?.properties ?? {})).toContain('externalId');
    expect(schemas.LinkDto?.properties).toMatchObject({ id: { example: expect.any(String) as string } });
    expect(schemas.LinkDto?.properties).toMatchObject({ revision: { type: 'integer' } });
  });

  it('is valid OpenAPI 3.1', async () => {
    const { body } = await ask(api, 'GET /openapi.json');
    expect(await new Validator().validate(body)).toEqual({ valid: true });
  });

  it('says who may use a route, in words and for programs', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as { paths: Record<string, Record<string, Route>> };
    const access = (path: string, method: string) => paths[path]?.[method]?.description;
    expect(access('/v1/query/types', 'get')).toContain('Public. ');
    expect(access('/v1/links', 'post')).toContain('For keys with `write:data`, and people who are signed in. ');
    expect(access('/v1/api-keys', 'post')).toContain('For people who are owner or admin. ');
    expect(access('/v1/query', 'post')).toMatch(/^Public types of public websites .* keys with `read:data`/);
    const security = (path: string, method: string) => paths[path]?.[method]?.security;
    expect(security('/v1/links', 'post')).toEqual([
      { apiKey: ['write:data'] },
      { bearer: ['write:data'] },
      { session: [] },
    ]);
    expect(security('/v1/api-keys', 'post')).toEqual([{ session: ['owner'] }, { session: ['admin'] }]);
    expect(security('/v1/query/types', 'get')).toContainEqual({});
    expect(JSON.stringify(paths)).not.toContain('x-permissions');
  });

  it('names every error of a route, with its body', async () => {
    const { body } = await ask(api, 'GET /openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, Route>> };
    const { responses } = body.components as { responses: Record<string, Route['responses'][string]> };
    const statuses = Object.keys(paths['/v1/links']?.post?.responses ?? {});
    expect(statuses.sort()).toEqual(
      ['201', '400', '401', '403', '404', '408', '409', '413', '429', '500', '503', 'default'].sort(),
    );
    expect(paths['/v1/links']?.post?.responses['429']).toEqual({ $ref: '#/components/responses/RateLimited' });
    expect(Object.values(responses)).toHaveLength(Object.keys(STATUSES).length + 1);
    expect(responses.AuthRequired).toMatchObject({
      content: { 'application/json': { example: { success: false, code: 'AUTH_REQUIRED' } } },
    });
  });

  it('has no query parameter that is null, and no tokens of another format', async () => {
    const { paths, components } = (await ask(api, 'GET /openapi.json')).body as unknown as Schemes; // what it is, this spec checks
    const routes = Object.values(paths).flatMap((methods) => Object.values(methods));
    const listed = routes.flatMap(({ parameters = [] }) => parameters).filter(({ schema }) => schema?.['enum']);
    expect(new Set(listed.map(({ name }) => name))).toEqual(
      new Set(['action', 'format', 'sort', 'state', 'targetType']),
    );
    for (const { schema } of listed)
      expect(schema).toMatchObject({ type: 'string', enum: expect.not.arrayContaining([null]) as unknown[] });
    expect(components.securitySchemes['bearer']).toMatchObject({ type: 'http', bearerFormat: 'svc_…' });
  });

  it('takes the limits of fields from the rules that they are validated by', async () => {
    const { paths, components } = (await ask(api, 'GET /openapi.json')).body as unknown as Limited; // what it is, this spec checks
    const limit = paths['/v1/links']?.get?.parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({ schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } });
    const { CreateApiKeyDto, SignUpDto } = components.schemas;
    expect(CreateApiKeyDto?.properties).toMatchObject({
      name: { minLength: 1, maxLength: 100 },
      tags: { type: ['array', 'null'], maxItems: 10, uniqueItems: true, items: { minLength: 1, maxLength: 50 } },
      scopes: { maxItems: SCOPES.length, items: { enum: SCOPES } },
    });
    expect(SignUpDto?.properties).toMatchObject({ password: { minLength: 10, maxLength: 128, format: 'password' } });
  });

  it('has the rows of every query type', async () => {
    const { components } = (await ask(api, 'GET /openapi.json')).body as unknown as Limited; // what it is, this spec checks
    expect(components.schemas.TopPagesRow).toMatchObject({
      properties: { name: { type: 'string' }, visitors: { type: 'integer' }, percentage: { type: 'number' } },
      required: ['name', 'pageviews', 'visitors', 'percentage'],
    });
    for (const { name } of CATALOGUE)
      expect(Object.values(components.schemas)).toContainEqual(
        expect.objectContaining({
          properties: expect.objectContaining({ parameter: { type: 'string', const: name } }) as object,
        }),
      );
  });

  it('describes the routes of accounts, which take no headers of commands', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as { paths: Record<string, Record<string, Route>> };
    const isAccount = (path: string) =>
      path.startsWith('/v1/auth/') && !/^\/v1\/auth\/(oauth2|verify-email)\//.test(path);
    const accounts = Object.keys(paths).filter(isAccount);
    expect(accounts.sort()).toEqual([
      '/v1/auth/change-email',
      '/v1/auth/change-password',
      '/v1/auth/delete-user',
      '/v1/auth/get-session',
      '/v1/auth/request-password-reset',
      '/v1/auth/reset-password',
      '/v1/auth/send-verification-email',
      '/v1/auth/sign-in/email',
      '/v1/auth/sign-out',
      '/v1/auth/sign-up',
      '/v1/auth/sign-up/email',
      '/v1/auth/update-user',
      '/v1/auth/verify-email',
    ]);
    const isOpen = (path: string) => path === '/v1/auth/sign-up'; // only read, and by everybody
    for (const path of accounts.filter((each) => !isOpen(each))) {
      const route = paths[path]?.post ?? paths[path]?.get;
      expect(route?.parameters.map(({ name }) => name)).not.toContain('Idempotency-Key');
      expect(Object.keys(route?.responses ?? {})).toEqual(expect.arrayContaining(['200', '400', '401', '403', '429']));
    }
    expect(paths['/v1/auth/sign-up/email']?.post?.responses).toHaveProperty('409');
    expect(paths['/v1/auth/change-password']?.post?.description).toContain('For people who are signed in.');
    expect(paths['/v1/auth/sign-in/email']?.post?.description).toContain('Public.');
  });

  it('names the limit of every route', async () => {
    const { paths } = (await ask(api, 'GET /openapi.json')).body as unknown as Limited; // what it is, this spec checks
    const limitOf = (path: string, method: string) =>
      /Limit: [^.;]*/.exec(paths[path]?.[method]?.description ?? '')?.[0];
    expect(limitOf('/v1/query', 'post')).toMatch(
      /^Limit: \d+ requests a minute for each key or person, \d+ for each address without a credential$/,
    );
    expect(limitOf('/v1/audit-log/export', 'get')).toMatch(/^Limit: 5 requests a minute for each key or person$/);
    expect(limitOf('/v1/links', 'post')).not.toBe(limitOf('/v1/audit-log/export', 'get'));
    expect(limitOf('/v1/auth/sign-in/email', 'post')).toMatch(
      /^Limit: \d+ requests a minute for each address, with all/,
    );
    const ofApi = Object.entries(paths).filter(([path]) => path.startsWith('/v1/'));
    const methods = ofApi.flatMap(([path, routes]) =>
      Object.keys(routes)
        .filter((each) => METHODS.has(each))
        .map((method) => limitOf(path, method)),
    );
    expect(methods).not.toContain(undefined);
  });

  it('names the headers that are taken and answered', async () => {
    const { body } = await ask(api, 'GET /openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, Route>> };
    const { responses } = body.components as { responses: Record<string, Route['responses'][string]> };
    const headers = (path: string, method: string, status: string) =>
      Object.keys(paths[path]?.[method]?.responses[status]?.headers ?? {});
    const taken = (path: string, method: string) =>
      paths[path]?.[method]?.parameters.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1));
    const always = ['X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    expect(headers('/v1/links', 'get', '200')).toEqual(always);
    expect(headers('/v1/links', 'post', '201')).toEqual([...always, 'X-Log-Position']);
    expect(headers('/health/ready', 'get', '503')).toEqual([...always, 'Retry-After']);
    expect(Object.keys(responses.RateLimited?.headers ?? {})).toEqual([...always, 'Retry-After']);
    expect(taken('/v1/links', 'post')).toEqual(['IdempotencyKey', 'CorrelationId']);
    expect(taken('/v1/links', 'get')).toEqual(expect.arrayContaining(['organizationId', 'limit', 'MinPosition']));
    expect(taken('/v1/query', 'post')).toEqual([
      ...['website_id', 'link_id', 'tag_id', 'monitor_id'],
      ...['timezone', 'X-Min-Position'],
    ]);
  });
});

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

interface Route {
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
}

interface Schemes {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
}

interface Parameter {
  readonly name?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

interface Limited {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
}

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());

describe('the api', () => {
  it('reads metadata of its framework by the names that this exports', () => {
    const sources = readdirSync(join(__dirname, '..'), { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'),
    );
    const named = /Reflect\.\w+Metadata\(\s*['"`]|['"`](?:swagger\/|design:)/;
    expect(sources.filter((path) => named.test(readFileSync(join(__dirname, '..', path), 'utf8')))).toEqual([]);
  });
});
