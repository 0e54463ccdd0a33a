import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { appendOneByOne } from '@test/event-store/append-one-by-one';
import { fakeOnly } from '@test/processes/fake-timers';
import { EVENT_STORE } from '../tokens';

describe('links', () => {
  it('are created with everything they can have', async () => {
    const sent = {
      name: 'Spring sale',
      targetUrl: 'https://example.com/spring?a=1',
      slug: 'Spring-26',
      externalId: 'campaign 7',
      expiresAt: '2099-01-01T01:00:00+01:00',
      expiredRedirectUrl: 'https://example.com/over',
      iosUrl: 'https://apps.example.com/ios',
      androidUrl: 'https://apps.example.com/android',
      ogTitle: 'Title',
      ogDescription: 'Two\nlines',
      ogImageUrl: 'https://example.com/a.png',
      forwardQuery: false,
      trackVisits: false,
    };
    const { status, body, headers } = await create(sent);
    expect(status).toBe(201);
    expect(headers['x-log-position']).toMatch(/^e:\d+$/);
    expect(body).toEqual({
      ...sent,
      tagIds: [],
      expiresAt: '2099-01-01T00:00:00.000Z',
      id: expect.stringMatching(/^link_[0-9A-Z]{26}$/) as string,
      organizationId: owner.organizationId,
      shortUrl: 'http://localhost:3001/Spring-26',
      createdBy: owner.id,
      createdAt: expect.stringMatching(/Z$/) as string,
      updatedAt: body.createdAt,
      revision: 0,
    });
    expect((await ask(api, `GET /v1/links/${body.id as string}`, owner)).body).toEqual(body);
  });

  it('get a random slug when none is wanted', async () => {
    const first = await create({});
    const second = await create({ slug: null });
    expect(first.body.slug).toMatch(/^[A-Za-z0-9]{8}$/);
    expect(second.body.slug).not.toBe(first.body.slug);
  });

  it('never share a slug, not even when asked at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ slug: 'wanted' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(7).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'CONFLICT', details: [{ field: 'slug' }] });
    const stranger = await ownerWithWebsite(api);
    const body = { organizationId: stranger.organizationId, ...link, slug: 'wanted' };
    expect((await ask(api, 'POST /v1/links', { body, headers: stranger.headers })).status).toBe(409);
  });

  it('answer a repetition as the first time', async () => {
    const headers = { 'idempotency-key': 'links-1' };
    const first = await create({}, headers);
    const second = await create({}, headers);
    expect({ status: second.status, body: second.body }).toEqual({ status: 201, body: first.body });
    expect(second.headers['x-log-position']).toBe(first.headers['x-log-position']);
  });

  it('answer a repetition as the first time after they have expired, and begin before they expire', async () => {
    const headers = { 'idempotency-key': 'expires' };
    const soon = { expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const bulk = (key: Record<string, string>) =>
      ask(api, 'POST /v1/links/bulk', {
        body: { organizationId: owner.organizationId, links: [{ ...link, ...soon }] },
        headers: { ...owner.headers, ...key },
      });
    const first = [await create(soon, headers), await bulk(headers)];
    jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.parse(soon.expiresAt) });
    const second = [await create(soon, headers), await bulk(headers)];
    const refused = await create(soon, { 'idempotency-key': 'late' });
    const refusedInBulk = await bulk({});
    jest.useRealTimers();
    expect(first.map(({ status }) => status)).toEqual([201, 200]);
    expect(second.map(({ status, body }) => ({ status, body }))).toEqual(
      first.map(({ status, body }) => ({ status, body })),
    );
    const problem = {
      code: 'VALIDATION_ERROR',
      details: [{ field: 'expiresAt', message: 'expiresAt must lie in the future.' }],
    };
    expect([refused.status, refused.body]).toMatchObject([400, problem]);
    expect(refusedInBulk.body).toMatchObject({ created: 0, results: [problem] });
  });

  it('reserve no slug when they would begin after they expire', async () => {
    const expiresAt = new Date(Date.now() - 1).toISOString();
    expect((await create({ slug: 'too-late', expiresAt })).status).toBe(400);
    expect(await store().readStream('global-slug-too-late')).toEqual([]);
  });

  it.each([{}, { slug: 'interrupted' }])('are completed by a repetition after a crash: %j', async (slug) => {
    const headers = { 'idempotency-key': `crash-${JSON.stringify(slug).length}` };
    expect((await whileLinksCannotBeAppended(() => create(slug, headers))).status).toBe(500);
    const second = await create(slug, headers);
    expect(second.status).toBe(201);
    expect((await create(slug, headers)).body).toEqual(second.body);
  });

  it('take a slug over that a crashed command of the same organization left reserved', async () => {
    const slug = { slug: 'left-behind' };
    await whileLinksCannotBeAppended(() => create(slug));
    const stranger = await ownerWithWebsite(api);
    const body = { organizationId: stranger.organizationId, ...link, ...slug };
    expect((await ask(api, 'POST /v1/links', { body, headers: stranger.headers })).status).toBe(409);
    const taken = await create(slug, { 'idempotency-key': 'takes-over' });
    expect(taken.status).toBe(201);
    expect((await create(slug, { 'idempotency-key': 'takes-over' })).body).toEqual(taken.body);
    expect((await create(slug)).status).toBe(409);
    const spaced = { 'idempotency-key': 'takes over' };
    expect((await create(slug, spaced)).body).toMatchObject({ details: [{ field: 'Idempotency-Key' }] });
  });

  it('name every wrong field', async () => {
    const { status, body } = await create({
      name: ' ',
      targetUrl: 'javascript:alert(1)',
      slug: 'robots.txt',
      externalId: 'x'.repeat(256),
      iosUrl: 'ftp://example.com',
      expiresAt: 'tomorrow',
      targetURL: 'https://example.com',
    });
    expect(status).toBe(400);
    const fields = new Set((body.details as { field: string }[]).map(({ field }) => field));
    expect(fields).toEqual(new Set(['name', 'targetUrl', 'slug', 'externalId', 'iosUrl', 'expiresAt', 'targetURL']));
    expect(body.details).toContainEqual(expect.objectContaining({ field: 'targetURL', suggestion: 'targetUrl' }));
    for (const slug of ['health', 'TRACK'])
      expect((await create({ slug })).body).toMatchObject({ details: [{ field: 'slug' }] });
  });

  it('never lead back to themselves', async () => {
    const to = (slug: string) => ({ targetUrl: `${api.settings.publicTrackUrl}/${slug}` });
    const refused = {
      status: 400,
      body: { details: [{ field: 'targetUrl', message: expect.stringMatching(/back/) as string }] },
    };
    expect(await create({ slug: 'round', ...to('round') })).toMatchObject(refused);
    const { body: about } = await create({ slug: 'about', ...to('round') });
    expect(await create({ slug: 'round', ...to('about') })).toMatchObject(refused);
    expect((await create({ slug: 'round' })).status).toBe(201);
    const change = (body: object) =>
      ask(api, `PATCH /v1/links/${about.id as string}`, { body, headers: owner.headers });
    expect(await change(to('about'))).toMatchObject(refused);
    expect(await change({ slug: 'around', expiredRedirectUrl: to('around').targetUrl })).toMatchObject(refused);
    expect((await change({ name: 'About' })).status).toBe(200);
  });

  it('take addresses as they are pasted, up to 8,192 characters, and short slugs', async () => {
    const long = `https://example.com/?q=${'a'.repeat(8_160)}`;
    const { status, body } = await create({ slug: 'q', targetUrl: ` ${long} b\n`, forwardQuery: false });
    expect({ status, ...body }).toMatchObject({
      status: 201,
      slug: 'q',
      targetUrl: `${long}%20b`,
      forwardQuery: false,
    });
    expect((await create({ targetUrl: `${long}12345678901` })).status).toBe(400);
    expect((await create({})).body).toMatchObject({ forwardQuery: true, trackVisits: true });
  });

  it('may be created and read with a key of global access', async () => {
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data', 'write:data'] }) };
    const body = { organizationId: owner.organizationId, ...link };
    const created = await ask(api, 'POST /v1/links', { body, headers });
    expect(created.body.createdBy).toMatch(/^key_/);
    expect((await ask(api, `GET /v1/links/${created.body.id as string}`, { headers })).status).toBe(200);
  });

  it('say who asked for what in their events, and hold no secret', async () => {
    const { body, headers } = await create({}, { 'x-request-id': 'request-7' });
    const id = body.id as string;
    const [event] = await store().readStream(`${owner.organizationId}-link-${id}`);
    expect(headers['x-request-id']).toBe('request-7');
    expect(event?.metadata).toMatchObject({
      actor: owner.id,
      actorType: 'user',
      organization: owner.organizationId,
      requestId: 'request-7',
      commandType: 'CreateLink',
      app: 'api',
    });
  });
});

let api: TestApi;
let owner: Owner;

const link = { name: 'A link', targetUrl: 'https://example.com/' };
const store = () => api.app.get<EventStore>(EVENT_STORE);

const create = (body: object, headers: Record<string, string> = {}) =>
  ask(api, 'POST /v1/links', {
    body: { organizationId: owner.organizationId, ...link, ...body },
    headers: { ...owner.headers, ...headers },
  });

async function whileLinksCannotBeAppended<T>(work: () => Promise<T>): Promise<T> {
  const end = appendOneByOne(store(), ({ stream }) => {
    if (stream.includes('-link-')) throw new TypeError('crashed');
  });
  return work().finally(end);
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
