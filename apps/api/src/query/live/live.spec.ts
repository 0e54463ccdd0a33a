import { randomBytes } from 'node:crypto';
import { ask } from '@test/api/ask';
import { openStream, type LiveClient } from '@test/api/live-client';
import { colleague, newKey, ownerWithWebsite } from '@test/api/people';
import { customEvent, pageView } from '@test/events/observed-events';
import { startQueryApi, type QueryApi } from '@test/query/query-api';
import { waitUntil } from '@test/wait-until';
import { QueryRunner } from '../execution/query-runner';
import { SnapshotRunner } from '../snapshot/snapshot';
import { LIVE_REQUEST } from './live-answers';
import { LiveStreams, MAX_STREAMS, refuseBeyondLimits } from './live.controller';

describe('the live figures of a website', () => {
  it('are a stream that shows hits as they come, with the numbers of the query types', async () => {
    const stream = await listen(byKey());
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    await stream.until((rows) => rows['realtime_feed']?.length === 0);
    await visit();
    await stream.until((rows) => rows['realtime_feed']?.length === 3);
    const asked = () => on.question(LIVE_REQUEST).then(({ body }) => body.data);
    await waitUntil(
      async () => JSON.stringify(await asked()) === JSON.stringify(stream.last?.data), // a minute may end meanwhile
    );
    const { realtime_velocity: minutes = [], realtime_pages: pages = [], ...rows } = stream.rows();
    expect(minutes).toHaveLength(30);
    expect([sum(minutes, 'pageviews'), sum(pages, 'pageviews')]).toEqual([2, 2]);
    expect(rows['active_stats']).toEqual([{ active_users: 1, active_sessions: 1 }]);
    expect(rows['realtime_sessions']).toMatchObject([{ page_views: 2, entry_path: '/', exit_path: '/cart' }]);
  });

  it('are a single answer for who does not ask for a stream', async () => {
    const { body } = await ask(on.api, `GET ${live()}`, { headers: byKey() });
    expect(body).toMatchObject({ success: true, meta: { total_parameters: LIVE_REQUEST.parameters.length } });
    expect((await ask(on.api, `HEAD ${live()}`, { headers: { ...byKey(), accept: 'text/event-stream' } })).status).toBe(
      200,
    );
  });

  it('are read once for all streams, and only as far as the position while nobody is there', async () => {
    const quiet = await newOwner();
    const looks = jest.spyOn(on.api.app.get(SnapshotRunner, { strict: false }), 'read');
    const answers = jest.spyOn(on.api.app.get(QueryRunner, { strict: false }), 'answer');
    const streams = await Promise.all([1, 2, 3].map(() => listen(quiet.headers, quiet.websiteId)));
    for (const stream of streams) await stream.until(() => true);
    expect(looks.mock.calls.length).toBeLessThan(streams.length);
    await waitUntil(() => looks.mock.calls.length > 3);
    expect(answers.mock.calls.length).toBeLessThan(3); // a minute may end meanwhile
    for (const stream of streams) stream.close();
    await waitUntil(() => openStreams() === 0);
    const looksAt = (id: string) => looks.mock.calls.filter(([{ target }]) => target.id === id).length;
    const before = looksAt(quiet.websiteId);
    await listen(byKey());
    await waitUntil(() => looksAt(on.owner.websiteId) > 1);
    expect(looksAt(quiet.websiteId)).toBe(before);
  });

  it('are refused without a credential, elsewhere, and of a public website of others', async () => {
    const other = await newOwner();
    await ask(on.api, `PATCH /v1/websites/${on.owner.websiteId}`, { headers: on.owner.headers, body: PUBLIC });
    const withoutScope = { 'x-api-key': await newKey(on.api, on.owner, { scopes: ['track:events'] }) };
    const statuses = await Promise.all(
      [{}, { 'x-api-key': 'svc_none' }, other.headers, withoutScope].flatMap((headers) =>
        ['text/event-stream', 'application/json'].map(
          async (accept) => (await ask(on.api, `GET ${live()}`, { headers: { ...headers, accept } })).status,
        ),
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 403, 403, 403, 403]);
  });

  it('are one answer where JSON is preferred', async () => {
    const accept = 'text/event-stream;q=0.2, application/json';
    const { status, headers } = await ask(on.api, `GET ${live()}`, { headers: { ...byKey(), accept } });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('name the field of a request that names no website', async () => {
    const { status, body } = await ask(on.api, 'GET /v1/live', { headers: byKey() });
    expect([status, body.details]).toEqual([400, [expect.objectContaining({ field: 'website_id' })]]);
  });
});

describe('live streams', () => {
  it('are so many for a key, and then refused until one has ended', async () => {
    const headers = { 'x-api-key': await newKey(on.api, on.owner, { scopes: ['read:data'] }) };
    const opened = await Promise.all(Array.from({ length: MAX_STREAMS.ofCaller }, () => listen(headers)));
    const refused = await openStream(on.api, live(), headers);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '10']);
    opened[0]!.close();
    await waitUntil(async () => (await listen(headers)).status === 200);
  });

  it('are so many of an organization, and of the process', () => {
    const { ofOrganization, ofProcess } = MAX_STREAMS;
    const holders = (count: number, organization: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => ({ caller: `key_${at}`, organization: organization(at) }));
    const holder = { caller: 'key_new', organization: 'org_1' };
    const refusal = (open: ReturnType<typeof holders>) => () => refuseBeyondLimits(open, holder);
    expect(refusal(holders(ofOrganization - 1, () => 'org_1'))).not.toThrow();
    expect(refusal(holders(ofOrganization, () => 'org_1'))).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 10 }) as Error,
    );
    expect(refusal(holders(ofProcess - 1, (at) => `org_${at + 2}`))).not.toThrow();
    expect(refusal(holders(ofProcess, (at) => `org_${at + 2}`))).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfter: 10 }) as Error,
    );
  });

  it.each([
    [
      'a key is revoked',
      async () => {
        const body = { organizationId: on.owner.organizationId, name: 'A key', scopes: ['read:data'] };
        const { headers } = on.owner;
        const { id, secret } = (await ask(on.api, 'POST /v1/api-keys', { body, headers })).body;
        const revoke = () => ask(on.api, `POST /v1/api-keys/${id as string}/revoke`, on.owner);
        return [{ 'x-api-key': secret as string }, revoke] as const;
      },
    ],
    [
      'a session ends',
      async () => {
        const { headers } = await colleague(on.api, on.owner, 'member');
        const origin = 'http://localhost:3000';
        return [
          headers,
          () => ask(on.api, 'POST /v1/auth/sign-out', { headers: { ...headers, origin }, body: {} }),
        ] as const;
      },
    ],
    [
      'a member is removed',
      async () => {
        const { id, headers } = await colleague(on.api, on.owner, 'member');
        const { organizationId } = on.owner;
        return [
          headers,
          () => ask(on.api, `DELETE /v1/organizations/${organizationId}/members/${id}`, on.owner),
        ] as const;
      },
    ],
  ])('end when %s', async (_, prepare) => {
    const [headers, end] = await prepare();
    const stream = await listen(headers);
    const other = await listen(on.owner.headers);
    await streams().check();
    const open = openStreams();
    expect((await end()).status).toBeLessThan(300);
    await streams().check();
    await stream.ended;
    await waitUntil(() => openStreams() === open - 1);
    await other.until(() => true);
  });

  it('end with the process', async () => {
    const other = await startQueryApi();
    const path = `/v1/live?website_id=${other.owner.websiteId}`;
    const stream = await openStream(other.api, path, { 'x-api-key': other.key });
    expect(stream.status).toBe(200);
    await other.close();
    await stream.ended;
  });
});

const PUBLIC = { isPublic: true };

const sum = (rows: readonly Readonly<Record<string, unknown>>[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field]), 0);

let on: QueryApi;
const clients: LiveClient[] = [];

const byKey = () => ({ 'x-api-key': on.key });
const live = (websiteId = on.owner.websiteId) => `/v1/live?website_id=${websiteId}`;
const streams = () => on.api.app.get(LiveStreams, { strict: false });
const newOwner = () => ownerWithWebsite(on.api);

async function listen(headers: Readonly<Record<string, string>>, websiteId?: string): Promise<LiveClient> {
  const client = await openStream(on.api, live(websiteId), headers);
  clients.push(client);
  return client;
}

const openStreams = (): number => streams().size;

/** Two page views and an event of one visitor. */
function visit(): Promise<void> {
  const { websiteId } = on.owner;
  const visitorId = randomBytes(16).toString('hex');
  const now = Date.now();
  const event = customEvent(websiteId, 1);
  return on.send([
    pageView(now - 2, { websiteId, visitorId }),
    pageView(now - 1, { websiteId, visitorId, path: '/cart' }),
    { ...event, at: now, receivedAt: now, data: { ...event.data, visitorId } },
  ]);
}

beforeAll(async () => void (on = await startQueryApi({ LIMIT_QUERY_PER_MINUTE: '100000' })));
afterEach(async () => {
  jest.restoreAllMocks();
  for (const client of clients.splice(0)) client.close();
  await waitUntil(() => openStreams() === 0);
});
afterAll(() => on.close());
