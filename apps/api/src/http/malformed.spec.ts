import fc from 'fast-check';
import { ask } from '../../../../test/api/ask';
import { ownerWithWebsite, type Owner } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';

describe('whatever is sent', () => {
  it.each(['organizations', 'websites', 'links', 'flags', 'api-keys'] as const)(
    'to POST /v1/%s is answered below 500',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(strangeBody(VALID[path]), fc.jsonValue()), async (body) => {
          const filled = JSON.stringify(body).replaceAll('$ORGANIZATION', owner.organizationId);
          const headers = { ...owner.headers, 'content-type': 'application/json' };
          const { status, text } = await ask(api, `POST /v1/${path}`, { body: filled, headers });
          if (status >= 500) throw new Error(text);
        }),
        { numRuns: 80, seed: 71 },
      );
    },
  );

  it('as a path, a query or a header is answered below 500', async () => {
    const path = fc.tuple(fc.constantFrom('links', 'websites', 'api-keys', 'organizations', 'query'), fc.webPath());
    const header = fc
      .string({ unit: 'binary-ascii', maxLength: 40 })
      .map((text) => text.replaceAll(/[^\x20-\x7e]/g, ''));
    await fc.assert(
      fc.asyncProperty(path, fc.webQueryParameters(), header, async ([route, rest], query, key) => {
        const headers = { ...owner.headers, 'idempotency-key': key, 'x-min-position': key };
        const { status, text } = await ask(api, `GET /v1/${route}${rest}?${query}`, { headers });
        if (status >= 500) throw new Error(text);
      }),
      { numRuns: 150, seed: 72 },
    );
  });
});

/** A good body in which some fields hold anything at all, and some fields nobody knows. */
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

let api: TestApi;
let owner: Owner;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '1000000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
