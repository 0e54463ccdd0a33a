import { BROWSER } from '../../scripts/supervisor/screen';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';

/** `RELIABILITY_MALFORMED=10000 npx jest test/reliability/malformed` for the long run. */
const BODIES = Number(process.env['RELIABILITY_MALFORMED'] ?? 400);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_121);

jest.setTimeout(600_000 + BODIES * 100);

const FREE = '1000000000';
let api: TestApi;
let tracker: RunningTracker;
let owner: Owner;
let apiKey: string;
let trackerKey: string;

beforeAll(async () => {
  const apiLimits = ['QUERY', 'QUERY_ANONYMOUS', 'API', 'PUBLIC', 'FAILED_AUTH'].map(
    (name) => `LIMIT_${name}_PER_MINUTE`,
  );
  api = await startTestApi({ ...Object.fromEntries(apiLimits.map((name) => [name, FREE])), LOG_LEVEL: 'error' });
  owner = await ownerWithWebsite(api);
  apiKey = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
  const limits = ['LIMIT_EVENTS_PER_KEY_PER_MINUTE', 'LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE'];
  tracker = await startTracker(Object.fromEntries(limits.map((name) => [name, FREE])));
  await tracker.registerWebsite('site_1');
  trackerKey = await tracker.createKey('key_1');
});
afterAll(async () => {
  await api.close();
  await tracker.stop();
});

describe(`a body that nobody expects (seed ${SEED}, ${BODIES} bodies)`, () => {
  it('is refused by the tracker with an error body, or taken, and never fails it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/track', '/batch', '/', '//track'),
        fc.constantFrom('key', 'browser', 'nobody'),
        type,
        payload(words.tracker),
        async (path, as, contentType, body) => {
          const url = as === 'nobody' ? path : `${path}?client_id=site_1`;
          const identity: Headers = as === 'key' ? { 'x-api-key': trackerKey } : { 'user-agent': BROWSER };
          check(await post(tracker.app, url, { 'content-type': contentType, ...identity }, body), body);
        },
      ),
      { seed: SEED, numRuns: Math.ceil(BODIES / 2), endOnFailure: true },
    ));

  it('is refused by the api with an error body, or taken, and never fails it', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.constantFrom('key', 'person', 'nobody'),
        type,
        payload(words.api),
        async (path, as, contentType, body) => {
          const url = path === 'query' ? `/v1/query?website_id=${owner.websiteId}` : `/v1/${path}`;
          const identity: Headers = { key: { 'x-api-key': apiKey }, person: owner.headers, nobody: {} }[as];
          const answer = await post(api.app, url, { 'content-type': contentType, ...identity }, body);
          check(answer, body);
        },
      ),
      { seed: SEED, numRuns: Math.floor(BODIES / 2), endOnFailure: true },
    ));
});

const routes = ['query', 'websites', 'links', 'api-keys', 'organizations', 'auth/sign-up/email', 'auth/sign-in/email'];

/** Names the products know, so that random bodies reach beyond the first check. */
const words = {
  tracker: [
    ...['name', 'eventId', 'anonymousId', 'sessionId', 'profileId', 'timestamp', 'path', 'referrer', 'title', 'type'],
    ...['properties', 'websiteId', 'href', 'text', 'utm_source', 'time_on_page', 'scroll_depth', 'namespace', 'source'],
    ...[
      'language',
      'timezone',
      'viewport_size',
      'screen_resolution',
      'anonymizeVisitorIds',
      '__proto__',
      'constructor',
    ],
  ],
  api: [
    ...['organizationId', 'name', 'domain', 'timezone', 'slug', 'targetUrl', 'externalId', 'expiresAt', 'iosUrl'],
    ...['parameters', 'startDate', 'endDate', 'preset', 'granularity', 'limit', 'page', 'filters', 'sortBy', 'field'],
    ...['op', 'value', 'scopes', 'resources', 'tags', 'rateLimit', 'email', 'password', 'visitorIdentity'],
    ...['allowedOrigins', 'isPublic', 'description', 'ogTitle', '__proto__', 'constructor', 'toString'],
  ],
};

const plausible = fc.constantFrom<unknown>(
  ...['screen_view', 'page_exit', 'outgoing_link', 'custom', 'site_1', 'top_pages', 'summary_metrics', 'last_7d'],
  ...['2026-01-01', '2026-02-30', 'daily', 'hourly', 'Europe/Berlin', 'UTC', 'https://example.com/a', 'read:data'],
  ...['eq', 'contains', 'country', 'path', '/a', 'a@b.org', 'example.com', '', ' ', '\u0000', '\ud800', '__proto__'],
  ...[null, true, 0, -1, 1e308, -0.5, Number.MAX_SAFE_INTEGER, 1_700_000_000_000, 'x'.repeat(3_000)],
);

const type = fc.constantFrom(
  ...['application/json', 'application/json', 'application/json', 'text/plain', 'application/xml'],
  ...['application/json; charset=latin1', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense'],
);

/** Anything: half-right objects above all, then any JSON, JSON that was cut off, and any bytes. */
function payload(names: readonly string[]): fc.Arbitrary<string | Buffer> {
  const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, plausible, fc.string({ unit: 'binary' }), fc.double(), tie('object')),
    object: fc.oneof(
      { depthSize: 'small' },
      fc.array(tie('value'), { maxLength: 5 }),
      fc
        .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value')), { maxLength: 8 })
        .map((entries) => entries.reduce<object>((all, [name, each]) => withOwn(all, name, each), {})),
    ),
  }));
  const json = value.map((each) => JSON.stringify(each));
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.tuple(json, fc.nat(100)).map(([text, at]) => text.slice(0, at)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => '['.repeat(depth)) },
  );
}

/** Also where the name is `__proto__`. */
const withOwn = (all: object, name: string, value: unknown): object =>
  Object.defineProperty(all, name, { value, enumerable: true, configurable: true, writable: true });

type Headers = Readonly<Record<string, string>>;

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function post(
  app: NestFastifyApplication,
  url: string,
  headers: Headers,
  payload: string | Buffer,
): Promise<Answer> {
  const { statusCode, body } = await app.inject({ method: 'POST', url, headers, payload });
  return { status: statusCode, text: body };
}

/** Never a failure of ours; a refusal is JSON, says what it is, and names the fields it is about. */
function check({ status, text }: Answer, sent: string | Buffer): void {
  const seen = `${status} ${text} for ${sent.toString().slice(0, 500)}`;
  if (status >= 500) throw new Error(seen);
  if (status < 400) return;
  const body = JSON.parse(text) as Record<string, unknown>;
  const isError = body.success === false && [body.error, body.code, body.requestId].every(isText);
  const fields = (body.errors ?? body.details ?? []) as Record<string, unknown>[];
  if (!isError || !fields.every(({ field, message }) => typeof field === 'string' && isText(message)))
    throw new Error(seen);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
