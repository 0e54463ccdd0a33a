import { ask, type Answer } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const PER_ADDRESS = 6;
const PER_KEY = 9;

describe('a server that evaluates flags with a key', () => {
  it('has 60,000 requests a minute, a page 600', async () => {
    const defaults = await startTestApi();
    const shop = await ownerWithWebsite(defaults);
    const headers = { 'x-api-key': await newKey(defaults, shop, { scopes: ['read:data'] }) };
    const path = `GET /public/v1/flags/bulk?clientId=${shop.websiteId}` as const;
    expect((await ask(defaults, path, { headers })).headers['x-ratelimit-limit']).toBe('60000');
    expect((await ask(defaults, path)).headers['x-ratelimit-limit']).toBe('600');
    await defaults.close();
  });

  it('goes on where nothing is left of the budget of its address', async () => {
    await useUp(PER_ADDRESS, () => evaluate({}));
    expect((await evaluate({ key })).status).toBe(200);
  });

  it('has one budget for all routes of flags and websites of its organization', async () => {
    const own = await newKey(api, owner, { scopes: ['manage:flags'] });
    const routes = [
      () => evaluate({ key: own }),
      () => bulk(own),
      () => ofrep({ key: own }),
      () => ofrep1({ key: own }),
    ];
    let turn = 0;
    await useUp(PER_KEY, () => routes[turn++ % routes.length]!());
    expect((await evaluate({ key: own, clientId: second })).status).toBe(429);
    expect((await evaluate({ key })).status).toBe(200);
  });

  it('is counted with its key for requests that are refused, too', async () => {
    const own = await newKey(api, owner, { scopes: ['read:data'] });
    await useUp(PER_KEY, () => ofrep({ key: own, body: '{' }));
  });

  it('is counted by its address for a website of another organization, or none', async () => {
    const other = await ownerWithWebsite(api);
    const limit = String(PER_ADDRESS);
    const own = owner.websiteId;
    for (const { headers } of [
      await evaluate({ key, clientId: other.websiteId }),
      await evaluate({ key, clientId: 'site_none' }),
      await evaluate({ key, clientId: `${own}&clientId=${other.websiteId}` }),
      await evaluate({ key, clientId: other.websiteId, header: own }),
      await ofrep({ key, clientId: other.websiteId, header: own }),
      await ofrep({ key, header: other.websiteId }),
      await ofrep({ key, header: '' }),
    ])
      expect(headers['x-ratelimit-limit']).toBe(limit);
  });

  it('has the limit of its key where that has one', async () => {
    const own = await newKey(api, owner, { scopes: ['read:data'], rateLimit: { max: 2, windowSeconds: 60 } });
    await useUp(2, () => evaluate({ key: own }));
  });

  it('is refused with a key that was revoked', async () => {
    expect((await evaluate({ key: 'svc_none' })).status).toBe(401);
  });
});

/** Sends as many requests as a budget has, then one that is refused for it. */
async function useUp(budget: number, send: () => Promise<Answer>): Promise<void> {
  let left: number;
  do {
    const { headers } = await send();
    expect(headers['x-ratelimit-limit']).toBe(String(budget));
    left = Number(headers['x-ratelimit-remaining']);
  } while (left > 0);
  const refused = await send();
  expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
}

let api: TestApi;
let owner: Owner;
/** Another website of the organization. */
let second: string;
let key: string;

interface Sent {
  readonly key?: string;
  readonly clientId?: string;
  readonly header?: string;
  readonly body?: object | string;
}

const headersOf = ({ key: secret, header }: Sent): Record<string, string> => ({
  ...(secret === undefined ? {} : { 'x-api-key': secret }),
  ...(header === undefined ? {} : { 'databuddy-client-id': header }),
});

const evaluate = (sent: Sent) =>
  ask(api, `GET /public/v1/flags/evaluate?clientId=${sent.clientId ?? owner.websiteId}&key=none`, {
    headers: headersOf(sent),
  });

const bulk = (secret: string) =>
  ask(api, `GET /public/v1/flags/bulk?clientId=${owner.websiteId}`, { headers: headersOf({ key: secret }) });

const ofrep = (sent: Sent, one = '') =>
  ask(api, `POST /public/v1/flags/ofrep/v1/evaluate/flags${one}${sent.clientId ? `?clientId=${sent.clientId}` : ''}`, {
    body: sent.body ?? { context: { targetingKey: 'u1' } },
    headers: { 'content-type': 'application/json', ...headersOf({ header: owner.websiteId, ...sent }) },
  });

const ofrep1 = (sent: Sent) => ofrep(sent, '/none');

beforeAll(async () => {
  api = await startTestApi({
    LIMIT_PUBLIC_PER_MINUTE: String(PER_ADDRESS),
    LIMIT_FLAGS_PER_KEY_PER_MINUTE: String(PER_KEY),
    LIMIT_API_PER_MINUTE: '1000',
  });
  owner = await ownerWithWebsite(api);
  const { organizationId, headers } = owner;
  const body = { organizationId, name: 'Second', domain: 'second.example' };
  second = (await ask(api, 'POST /v1/websites', { body, headers })).body.id as string;
  key = await newKey(api, owner, { scopes: ['read:data'] });
});

afterAll(() => api.close());
