import fc from 'fast-check';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { checkAnswer, contentType, malformedBody } from './malformed-bodies';

/** `RELIABILITY_MALFORMED=10000 npx jest test/reliability/malformed` for the long run. */
const BODIES = Number(process.env['RELIABILITY_MALFORMED'] ?? 100);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

jest.setTimeout(600_000 + BODIES * 100);

const FREE = '1000000000';
let api: TestApi;
let owner: Owner;
let apiKey: string;

beforeAll(async () => {
  const apiLimits = ['QUERY', 'QUERY_ANONYMOUS', 'API', 'PUBLIC', 'FAILED_AUTH'].map(
    (name) => `LIMIT_${name}_PER_MINUTE`,
  );
  api = await startTestApi({ ...Object.fromEntries(apiLimits.map((name) => [name, FREE])), LOG_LEVEL: 'error' });
  owner = await ownerWithWebsite(api);
  apiKey = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
});
afterAll(() => api.close());

describe(`a body that nobody expects (seed ${SEED}, ${BODIES} bodies)`, () => {
  it('is refused by the api with an error body, or taken, and never fails it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.constantFrom('key', 'person', 'nobody'),
        contentType,
        malformedBody(NAMES),
        async (path, as, type, payload) => {
          const url = path === 'query' ? `/v1/query?website_id=${owner.websiteId}` : `/v1/${path}`;
          const identity: Headers = { key: { 'x-api-key': apiKey }, person: owner.headers, nobody: {} }[as];
          const headers = { 'content-type': type, ...identity };
          const { statusCode: status, body: text } = await api.app.inject({ method: 'POST', url, headers, payload });
          checkAnswer({ status, text }, payload);
        },
      ),
      { seed: SEED, numRuns: Math.ceil(BODIES / 2), endOnFailure: true },
    ));

  it.each(['organizations', 'websites', 'links', 'flags', 'api-keys'] as const)(
    'for POST /v1/%s, good but for some fields, is answered below 500',
    (path) =>
      fc.assert(
        fc.asyncProperty(fc.oneof(strangeBody(VALID[path]), fc.jsonValue()), async (body) => {
          const payload = JSON.stringify(body).replaceAll('$ORGANIZATION', owner.organizationId);
          const headers = { ...owner.headers, 'content-type': 'application/json' };
          const answer = await api.app.inject({ method: 'POST', url: `/v1/${path}`, headers, payload });
          checkAnswer({ status: answer.statusCode, text: answer.body }, payload);
        }),
        { seed: SEED, numRuns: Math.ceil(BODIES / 5), endOnFailure: true },
      ),
  );

  it('as a path, a query or a header is answered below 500', async () => {
    const path = fc.tuple(fc.constantFrom('links', 'websites', 'api-keys', 'organizations', 'query'), fc.webPath());
    const header = fc
      .string({ unit: 'binary-ascii', maxLength: 40 })
      .map((text) => text.replaceAll(/[^\x20-\x7e]/g, ''));
    await fc.assert(
      fc.asyncProperty(path, fc.webQueryParameters(), header, async ([route, rest], query, key) => {
        const url = `/v1/${route}${rest}?${query}`;
        const headers = { ...owner.headers, 'idempotency-key': key, 'x-min-position': key };
        const answer = await api.app.inject({ url, headers });
        checkAnswer({ status: answer.statusCode, text: answer.body }, url);
      }),
      { seed: SEED, numRuns: Math.ceil(BODIES / 2), endOnFailure: true },
    );
  });
});

const routes = ['query', 'websites', 'links', 'api-keys', 'organizations', 'auth/sign-up/email', 'auth/sign-in/email'];

/** Names the api knows, so that random bodies reach beyond the first check. */
const NAMES = [
  ...['organizationId', 'name', 'domain', 'timezone', 'slug', 'targetUrl', 'externalId', 'expiresAt', 'iosUrl'],
  ...['parameters', 'startDate', 'endDate', 'preset', 'granularity', 'limit', 'page', 'filters', 'sortBy', 'field'],
  ...['op', 'value', 'scopes', 'resources', 'tags', 'rateLimit', 'email', 'password', 'visitorIdentity'],
  ...['allowedOrigins', 'isPublic', 'description', 'ogTitle', '__proto__', 'constructor', 'toString'],
];

type Headers = Readonly<Record<string, string>>;

/** A good body in which some fields hold anything at all, and some fields have unknown names. */
const strangeBody = (valid: object) =>
  fc
    .tuple(
      fc.record(Object.fromEntries(Object.keys(valid).map((name) => [name, anything])), { requiredKeys: [] }),
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    )
    .map(([wrong, unknown]) => ({ ...valid, ...wrong, ...unknown }));

const anything = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.webUrl(),
  fc.constantFrom('\u0000', '\ud800', '', ' ', '__proto__', '2030-02-31T00:00:00Z', '+275760-09-13T00:00:00Z', 1e308),
  fc.dictionary(fc.constantFrom('global', '__proto__', 'website:x'), fc.array(fc.constantFrom('read:data', 'x'))),
);

const VALID = {
  organizations: { name: 'Acme' },
  websites: {
    organizationId: '$ORGANIZATION',
    name: 'Shop',
    domain: 'example.com',
    isPublic: true,
    allowedOrigins: ['a.example'],
    timezone: 'UTC',
    visitorIdentity: 'daily',
  },
  links: {
    organizationId: '$ORGANIZATION',
    name: 'Link',
    targetUrl: 'https://example.com',
    externalId: 'x',
    expiresAt: '2099-01-01T00:00:00Z',
    iosUrl: 'https://example.com',
    ogDescription: 'Text',
  },
  flags: {
    organizationId: '$ORGANIZATION',
    websiteId: null,
    key: 'beta',
    name: 'Beta',
    type: 'multivariant',
    defaultValue: { a: 1 },
    payload: ['x'],
    environments: [{ name: 'live', status: 'active' }],
    rollout: null,
    variants: [{ key: 'a', value: 1, weight: 1 }],
    rules: [{ attribute: 'email', operator: 'equals', values: ['a@example.com'], enabled: true }],
  },
  'api-keys': {
    organizationId: '$ORGANIZATION',
    name: 'Key',
    description: 'Text',
    scopes: ['read:data'],
    resources: { global: [] },
    tags: ['a'],
    expiresAt: '2099-01-01T00:00:00Z',
    rateLimit: { max: 5, windowSeconds: 60 },
  },
};
