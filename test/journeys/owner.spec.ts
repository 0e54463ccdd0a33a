import { mailTo } from '../mail/written-mails';
import { startProduct, type RunningProduct } from './running-product';

/** The whole life of a key and of a colleague, as their owner sees it from outside. */
describe('a new owner', () => {
  it('signs up, and creates an organization with two websites', async () => {
    ada = await signUp('Ada', 'ada@acme.example');
    organizationId = (await ada('POST /v1/organizations', { name: 'Acme' }, 201)).id as string;
    websiteId = await newWebsite('Shop');
    otherWebsiteId = await newWebsite('Blog');
  });

  it('creates a key that is limited to one of them', async () => {
    const resources = { [`website:${websiteId}`]: [] };
    const body = { organizationId, name: 'Server', scopes: ['read:data', 'track:events'], resources };
    const created = await ada('POST /v1/api-keys', body, 201);
    keyId = created.id as string;
    secret = created.secret as string;
    const readable = await withKey(secret)('GET /v1/query/websites');
    expect(readable).toMatchObject({ websites: [{ id: websiteId }], total: 1 });
  });

  it('sends an event with it, and finds the event in an answer', async () => {
    expect(await track(secret, websiteId)).toEqual({ status: 'success', type: 'custom_event', count: 1 });
    await product.projector.catchUp();
    expect(await eventsFor(withKey(secret))).toMatchObject([{ name: 'order_paid', total_events: 1, unique_users: 1 }]);
  });

  it('cannot use it for the other website, nor for managing anything', async () => {
    const key = withKey(secret);
    expect(await track(secret, otherWebsiteId, 403)).toMatchObject(FORBIDDEN);
    const query = { parameters: ['custom_events'] };
    expect(await key(`POST /v1/query?website_id=${otherWebsiteId}`, query, 403)).toMatchObject(FORBIDDEN);
    expect(await key(`GET /v1/api-keys/${keyId}`, undefined, 403)).toMatchObject(FORBIDDEN);
    expect(await key(`GET /v1/organizations/${organizationId}/members`, undefined, 403)).toMatchObject(FORBIDDEN);
  });

  it('rotates it: the old secret is refused on both hosts, the new one works', async () => {
    const rotated = await ada(`POST /v1/api-keys/${keyId}/rotate`);
    expect(rotated).toMatchObject({ id: keyId, name: 'Server' });
    await isRefused(secret);
    secret = rotated.secret as string;
    expect(await eventsFor(withKey(secret))).toHaveLength(1);
  });

  it('disables and enables it', async () => {
    await ada(`PATCH /v1/api-keys/${keyId}`, { enabled: false });
    await isRefused(secret);
    await ada(`PATCH /v1/api-keys/${keyId}`, { enabled: true });
    expect(await eventsFor(withKey(secret))).toHaveLength(1);
  });

  it('revokes it for good, and deletes it', async () => {
    expect((await ada(`POST /v1/api-keys/${keyId}/revoke`)).revokedAt).toMatch(/Z$/);
    await isRefused(secret);
    expect(await ada(`POST /v1/api-keys/${keyId}/rotate`, undefined, 409)).toMatchObject({ code: 'CONFLICT' });
    await ada(`DELETE /v1/api-keys/${keyId}`, undefined, 204);
    expect(await ada(`GET /v1/api-keys/${keyId}`, undefined, 404)).toMatchObject({ error: 'API key not found' });
    expect(await keysFor(ada)).toMatchObject({ total: 0 });
    await isRefused(secret);
  });
});

describe('a colleague', () => {
  it('is invited by mail, signs up and accepts', async () => {
    const invitation = { email: 'grace@acme.example', role: 'member' };
    await ada(`POST /v1/organizations/${organizationId}/invitations`, invitation, 201);
    const { text } = await mailTo(product.api, invitation.email);
    const [, id] = /\/console\/accept-invitation#invitation=(\w+)/.exec(text)!;
    const route = `POST /v1/invitations/${id}/accept` as const;
    const stranger = await signUp('Eve', 'eve@evil.example');
    expect(await stranger(route, undefined, 404)).toMatchObject({ code: 'NOT_FOUND' });
    grace = await signUp('Grace', invitation.email);
    expect(await eventsFor(grace, 403)).toMatchObject(FORBIDDEN);
    const member = await grace(route);
    expect(member).toMatchObject({ organizationId, role: 'member', email: invitation.email });
    graceId = member.id as string;
  });

  it('may query as a member, and manage nothing', async () => {
    expect(await eventsFor(grace)).toHaveLength(1);
    expect(await grace(`GET /v1/websites?organizationId=${organizationId}`)).toMatchObject({ total: 2 });
    expect(await keysFor(grace, 403)).toMatchObject(FORBIDDEN);
    expect(await grace(`PATCH /v1/websites/${websiteId}`, { name: 'Mine' }, 403)).toMatchObject(FORBIDDEN);
    expect(await grace(member(), { role: 'owner' }, 403)).toMatchObject(FORBIDDEN);
  });

  it('may manage keys as an admin, and not roles', async () => {
    expect(await ada(member(), { role: 'admin' })).toMatchObject({ role: 'admin' });
    expect(await keysFor(grace)).toMatchObject({ total: 0 });
    await grace('POST /v1/api-keys', { organizationId, name: 'Hers', scopes: ['read:data'] }, 201);
    expect(await grace(member(), { role: 'owner' }, 403)).toMatchObject(FORBIDDEN);
    expect(await grace(`DELETE /v1/organizations/${organizationId}`, undefined, 403)).toMatchObject(FORBIDDEN);
  });

  it('finds nothing any more once removed', async () => {
    await ada(`DELETE /v1/organizations/${organizationId}/members/${graceId}`, undefined, 204);
    expect(await eventsFor(grace, 403)).toMatchObject(FORBIDDEN);
    expect(await keysFor(grace, 404)).toMatchObject({ error: 'Organization not found' });
    expect(await grace(`GET /v1/websites/${websiteId}`, undefined, 404)).toMatchObject({ error: 'Website not found' });
    expect(await grace('GET /v1/organizations')).toMatchObject({ total: 0 });
  });

  it('leaves the last owner, who cannot go', async () => {
    const { data } = (await ada(`GET /v1/organizations/${organizationId}/members`)) as { data: { id: string }[] };
    expect(data).toHaveLength(1);
    const leave = `DELETE /v1/organizations/${organizationId}/members/${data[0]!.id}` as const;
    expect(await ada(leave, undefined, 409)).toMatchObject({ code: 'CONFLICT' });
  });
});

type Fields = Readonly<Record<string, unknown>>;
type Client = (route: `${string} /${string}`, body?: object, status?: number) => Promise<Fields>;

const FORBIDDEN = { success: false, code: 'FORBIDDEN', error: 'Insufficient permissions' };

let product: RunningProduct;
let ada: Client;
let grace: Client;
let graceId: string;
let organizationId: string;
let websiteId: string;
let otherWebsiteId: string;
let keyId: string;
let secret: string;

const clientOf = (headers: Readonly<Record<string, string>>): Client => {
  return async (route, body, status = 200) => (await send(route, headers, body, status)).body;
};

const withKey = (text: string): Client => clientOf({ 'x-api-key': text });

async function signUp(name: string, email: string): Promise<Client> {
  const account = { name, email, password: 'correct horse battery' };
  const { cookie } = await send('POST /v1/auth/sign-up/email', {}, account, 200);
  return clientOf({ cookie });
}

async function send(route: string, headers: object, body: object | undefined, status: number, host = product.apiUrl) {
  const [method, path] = route.split(' ') as [string, string];
  const init = { method, headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) } };
  const response = await fetch(`${host}${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
  const text = await response.text();
  expect({ route, status: response.status, text }).toEqual({ route, status, text });
  const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
  return { body: (text === '' ? {} : JSON.parse(text)) as Fields, cookie: cookies.join('; ') };
}

async function newWebsite(name: string): Promise<string> {
  const body = { organizationId, name, domain: `${name.toLowerCase()}.acme.example` };
  return (await ada('POST /v1/websites', body, 201)).id as string;
}

async function track(key: string, website: string, status = 200): Promise<Fields> {
  const event = { name: 'order_paid', websiteId: website, anonymousId: 'visitor-1' };
  return (await send('POST /track', { authorization: `Bearer ${key}` }, event, status, product.trackUrl)).body;
}

/** The rows of the website's events; the refusal when that is expected. */
async function eventsFor(client: Client, status = 200): Promise<unknown> {
  const answer = await client(`POST /v1/query?website_id=${websiteId}`, { parameters: ['custom_events'] }, status);
  return status === 200 ? (answer.data as { data: unknown }[])[0]?.data : answer;
}

const keysFor = (client: Client, status = 200) =>
  client(`GET /v1/api-keys?organizationId=${organizationId}`, undefined, status);

async function isRefused(key: string): Promise<void> {
  const refused = { success: false, code: 'AUTH_REQUIRED', error: 'Authentication required' };
  expect(await withKey(key)('GET /v1/query/websites', undefined, 401)).toMatchObject(refused);
  expect(await track(key, websiteId, 401)).toMatchObject(refused);
}

const member = () => `PATCH /v1/organizations/${organizationId}/members/${graceId}` as const;

beforeAll(async () => {
  product = await startProduct();
});

afterAll(() => product.close());
