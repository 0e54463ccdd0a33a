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
