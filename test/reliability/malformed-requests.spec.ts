import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import fc from 'fast-check';
import { BROWSER } from '../../scripts/supervisor/screen';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { mutated, type MutatedRequest } from '../http/mutations';
import { plausibleRequest, routesOf, type Known, type OpenApiDocument } from '../http/route-requests';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';
import { isDetail, isText } from './malformed-bodies';

/** `RELIABILITY_MALFORMED=10000 npx jest test/reliability/malformed` for the long run. */
const REQUESTS = Number(process.env['RELIABILITY_MALFORMED'] ?? 400);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_122);
const FREE = '1000000000';

jest.setTimeout(600_000 + REQUESTS * 200);

let api: TestApi;
let projector: DirectProjector;
let tracker: RunningTracker;
let document: OpenApiDocument;
let identities: readonly (readonly [Known, Readonly<Record<string, string>>])[];
let senders: readonly Readonly<Record<string, string>>[];

beforeAll(async () => {
  const budgets = ['QUERY', 'QUERY_ANONYMOUS', 'API', 'PUBLIC', 'FAILED_AUTH'].map(
    (name) => `LIMIT_${name}_PER_MINUTE`,
  );
  api = await startTestApi({ ...Object.fromEntries(budgets.map((name) => [name, FREE])), LOG_LEVEL: 'error' });
  projector = await projectInto(api.settings.databaseUrl, []);
  // the api polls what it knows of projections, and is rightly unavailable until it has seen them
  await waitUntil(async () => (await api.app.inject({ url: '/health/ready' })).statusCode === 200);
  await api.signHeads();
  const response = await api.app.inject({ url: '/openapi.json' });
  document = response.json<OpenApiDocument>();
  const keeper = await ownerWithWebsite(api);
  const victim = await ownerWithWebsite(api);
  const key = await newKey(api, keeper, { scopes: ['read:data', 'write:data'] });
  identities = [
    [knownOf(keeper), keeper.headers],
    [knownOf(keeper), { 'x-api-key': key }],
    [knownOf(victim), victim.headers],
    [knownOf(keeper), {}],
  ];
  tracker = await startTracker({
    LIMIT_EVENTS_PER_KEY_PER_MINUTE: FREE,
    LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: FREE,
    LIMIT_REDIRECTS_PER_IP_PER_MINUTE: FREE,
  });
  await tracker.registerWebsite('site_1');
  await tracker.createLink('link_1', { slug: 'spring' });
  const browser = { 'user-agent': BROWSER, 'databuddy-client-id': 'site_1' };
  senders = [{ 'x-api-key': await tracker.createKey('key_1') }, browser, {}];
});
afterAll(async () => {
  await projector.close();
  await api.close();
  await tracker.stop();
});

describe(`a spoilt request to any route (seed ${SEED}, ${REQUESTS} requests)`, () => {
  it('of the api is answered below 500, and refused by an error body', async () => {
    const routes = routesOf(api.app);
    expect(routes.length).toBeGreaterThan(15);
    const requests = fc.tuple(fc.constantFrom(...routes), fc.nat(3)).chain(([route, who]) => {
      // what ends an organization or a session must not do so for all later requests
      const [known, headers] = identities[/^DELETE|sign-out/.test(route) && who < 2 ? 2 : who] ?? [{}, {}];
      return mutated(plausibleRequest(route, known, document, CREDENTIALS), headers);
    });
    await assertRefusals(api.app, requests, Math.ceil(REQUESTS / 2), '');
  });

  it('of the tracker is answered below 500, and refused by an error body', async () => {
    const routes = routesOf(tracker.app);
    expect(routes.length).toBeGreaterThan(8);
    const requests = fc
      .tuple(fc.constantFrom(...routes), fc.constantFrom(...senders), fc.constantFrom(...ITEMS))
      .chain(([route, headers, item]) => mutated(plausibleRequest(route, TRACKED, undefined, [item]), headers));
    await assertRefusals(tracker.app, requests, Math.floor(REQUESTS / 2), 'error');
  });
});

const assertRefusals = (
  app: NestFastifyApplication,
  requests: fc.Arbitrary<MutatedRequest>,
  numRuns: number,
  bodyStatus: string,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { statusCode: status, headers, body } = await app.inject(request as Parameters<typeof app.inject>[0]);
      const seen = `${status} ${body.slice(0, 300)} for ${JSON.stringify(request).slice(0, 600)}`;
      if (status >= 500 || headers['x-request-id'] === undefined) throw new Error(seen);
      if (status < 400 || request.method === 'HEAD' || isPage(headers['content-type'])) return;
      const refusal = JSON.parse(body) as Record<string, unknown>;
      if (!isProtocolError(request, refusal) && !isRefusal(refusal, headers['x-request-id'], bodyStatus))
        throw new Error(seen);
      if (headers['x-ratelimit-remaining'] === undefined) throw new Error(`not counted: ${seen}`);
    }),
    { seed: SEED, numRuns, endOnFailure: true },
  );

function isRefusal(refusal: Record<string, unknown>, sentId: unknown, bodyStatus: string): boolean {
  const { success, error, code, requestId, ...more } = refusal;
  const fields = (more['errors'] ?? more['details'] ?? []) as Record<string, unknown>[];
  const isNamed = fields.every((each) => isDetail(code, each));
  const isBody = success === false && [error, code].every(isText) && requestId === sentId;
  return isBody && isNamed && (more['status'] ?? '') === bodyStatus;
}

/** Returns whether the Model Context Protocol refuses, with the body that it prescribes. */
function isProtocolError({ url }: MutatedRequest, { jsonrpc, error }: Record<string, unknown>): boolean {
  const { code, message } = (error ?? {}) as Record<string, unknown>;
  return /^\/v1\/mcp(\?|$)/.test(url) && jsonrpc === '2.0' && Number.isInteger(code) && isText(message);
}

/** People who follow a short link get a page. */
const isPage = (type: unknown): boolean => String(type).startsWith('text/html');

const knownOf = ({ id: userId, organizationId, websiteId }: Owner): Known => ({
  userId,
  organizationId,
  websiteId,
  website_id: websiteId,
  id: organizationId,
  '*': 'sign-in/email',
  slug: undefined,
});

const CREDENTIALS = { email: 'a@example.com', password: 'correct horse battery', name: 'Ada' };

const TRACKED: Known = { slug: 'spring', id: 'spring' };

const COMMON = {
  eventId: 'e',
  anonymousId: 'a',
  sessionId: 's',
  timestamp: Date.now(),
  path: 'https://example.com/a?b=c',
};

const ITEMS = [
  { ...COMMON, name: 'screen_view', referrer: 'https://x.org', title: 'A', viewport_size: '1x1', language: 'en' },
  { ...COMMON, name: 'page_exit', time_on_page: 5, scroll_depth: 50, interaction_count: 1 },
  { ...COMMON, name: 'custom', namespace: 'n', properties: { a: [1, { b: 'c' }] }, profileId: 'p' },
  { ...COMMON, type: 'outgoing_link', href: 'https://x.org', text: 'X' },
  { ...COMMON, metricName: 'LCP', metricValue: 5 },
  { ...COMMON, message: 'm', filename: 'f', lineno: 1, colno: 1, stack: 's', errorType: 'E' },
  { ...COMMON, pageIndex: 1, exitType: 'e', timeOnPage: 5, activeTime: 3, clickCount: 1 },
];
