import request from 'supertest';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { startTracker, type RunningTracker } from '../../../../test/tracker/running-tracker';
import { INTAKE_LOG } from '../tokens';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('the routes that take events', () => {
  let tracker: RunningTracker;
  let key: string;

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true' });
    await tracker.registerWebsite('site_1');
    await tracker.registerWebsite('site_2', { organizationId: 'org_2', domain: 'other.org' });
    key = await tracker.createKey('key_1');
  });
  afterAll(() => tracker.stop());

  const post = (path: string, userAgent = BROWSER) =>
    request(tracker.app.getHttpServer()).post(path).set('user-agent', userAgent).set('x-forwarded-for', '81.2.69.142');

  const named = async (name: string) =>
    (await tracker.recorded()).filter((event) => event.type === 'CustomEventTracked' && event.data.name === name);

  describe('POST /track', () => {
    it('takes an event of a server, whatever its user agent', async () => {
      const answer = await post('/track', 'node')
        .set('authorization', `Bearer ${key}`)
        .send({ name: 'paid', websiteId: 'site_1', anonymousId: 'a1', profileId: 'p1', properties: { amount: 5 } });
      expect([answer.status, answer.body]).toEqual([200, { status: 'success', type: 'custom_event', count: 1 }]);
      expect(answer.headers['x-request-id']).toMatch(/.{8}/);
      expect(answer.headers['x-log-position']).toMatch(/^i\d+:/);
      const [event] = await named('paid');
      expect(event).toMatchObject({
        type: 'CustomEventTracked',
        data: {
          organizationId: 'org_1',
          websiteId: 'site_1',
          zone: 'Europe/Berlin',
          identity: 'daily',
          visitorId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
          sessionId: null,
          country: null,
          browser: null,
          device: 'other',
          properties: { amount: 5 },
        },
      });
    });

    it('takes an event of the whole organization', async () => {
      await post('/track', 'node').set('x-api-key', key).send({ name: 'invoiced' }).expect(200);
      expect(await named('invoiced')).toMatchObject([{ data: { websiteId: null, zone: 'UTC', visitorId: null } }]);
    });

    it('takes what a browser sends, and knows where and with what it is', async () => {
      await post('/track?website_id=site_1')
        .set('origin', 'https://www.example.com')
        .send({ name: 'clicked', sessionId: 's1' })
        .expect(200);
      expect(await named('clicked')).toMatchObject([
        { data: { country: 'GB', city: 'London', browser: 'Chrome', os: 'Mac OS', device: 'desktop' } },
      ]);
    });

    it('takes the good ones and names the bad ones', async () => {
      const answer = await post('/track', 'node')
        .set('x-api-key', key)
        .send([{ name: 'good' }, { name: '' }, { name: 'good', timestamp: 5 }, { name: 'good', websiteId: 'site_2' }]);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        status: 'success',
        count: 1,
        errors: [
          { index: 1, field: 'name', message: 'must not be empty' },
          { index: 2, field: 'timestamp', message: 'must not be before the year 2000' },
          { index: 3, field: 'websiteId' },
        ],
      });
    });

    it('counts a retry once', async () => {
      const sent = { name: 'once', eventId: 'e1', websiteId: 'site_1' };
      for (let n = 0; n < 3; n++) await post('/track', 'node').set('x-api-key', key).send(sent).expect(200);
      await post('/track', 'node')
        .set('x-api-key', key)
        .send([sent, { ...sent, eventId: 'e2' }, sent])
        .expect(200);
      expect(await named('once')).toHaveLength(2);
    });

    it.each([
      ['nobody', {}, { name: 'x' }, 401, 'AUTH_REQUIRED'],
      ['a key that is none', { 'x-api-key': 'svc_nothing' }, { name: 'x' }, 401, 'AUTH_REQUIRED'],
      ['an unknown website', {}, { name: 'x', websiteId: 'site_0' }, 400, 'VALIDATION_ERROR'],
      ['a foreign page', { origin: 'https://evil.example' }, { name: 'x', websiteId: 'site_1' }, 403, 'FORBIDDEN'],
      ['a page of nowhere', { origin: 'null' }, { name: 'x', websiteId: 'site_1' }, 403, 'FORBIDDEN'],
      ['no event', {}, {}, 400, 'VALIDATION_ERROR'],
      [
        'an old event',
        {},
        { name: 'x', websiteId: 'site_1', timestamp: Date.now() - 8 * 864e5 },
        400,
        'VALIDATION_ERROR',
      ],
      [
        'a future event',
        {},
        { name: 'x', websiteId: 'site_1', timestamp: Date.now() + 2 * 36e5 },
        400,
        'VALIDATION_ERROR',
      ],
    ])('refuses %s', async (_, headers, body, status, code) => {
      const answer = await post('/track').set(headers).send(body);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({
        success: false,
        status: 'error',
        code,
        requestId: answer.headers['x-request-id'],
      });
      expect(answer.body).toMatchObject({ error: expect.any(String) as string, message: expect.any(String) as string });
      expect(answer.headers['access-control-allow-origin']).toBe((headers as { origin?: string }).origin);
    });

    it('tells a key apart that may not', async () => {
      const reader = await tracker.createKey('key_2', { scopes: ['read:data'] });
      const narrow = await tracker.createKey('key_3', { resources: { 'website:site_1': [] } });
      const expired = await tracker.createKey('key_4', { expiresAt: '2020-01-01T00:00:00Z' });
      const status = async (secret: string, body: object) =>
        (await post('/track', 'node').set('x-api-key', secret).send(body)).status;
      expect(await status(reader, { name: 'x', websiteId: 'site_1' })).toBe(403);
      expect(await status(narrow, { name: 'x', websiteId: 'site_1' })).toBe(200);
      expect(await status(narrow, { name: 'x' })).toBe(403);
      expect(await status(key, { name: 'x', websiteId: 'site_2' })).toBe(403);
      expect(await status(key, { name: 'x', websiteId: 'site_0' })).toBe(404);
      expect(await status(expired, { name: 'x' })).toBe(401);
    });
  });

  describe('POST /batch', () => {
    const view = { name: 'screen_view', path: 'https://example.com/a', anonymousId: 'anon', sessionId: 'sess' };

    it('answers each item, and never fails for bad ones', async () => {
      const answer = await post('/batch?client_id=site_1').send([
        { ...view, eventId: 'v1', referrer: 'https://www.example.com/b' },
        { name: 'page_exit', eventId: 'v2' },
        { type: 'outgoing_link', eventId: 'v3', href: 'https://b.org/' },
      ]);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        status: 'partial',
        batch: true,
        processed: 2,
        results: [
          { status: 'success', type: 'track', eventId: 'v1' },
          {
            status: 'error',
            eventId: 'v2',
            message: 'path is missing',
            code: 'VALIDATION_ERROR',
            errors: [{ field: 'path', message: 'is missing' }],
          },
          { status: 'success', type: 'outgoing_link', eventId: 'v3' },
        ],
      });
      const seen = (await tracker.recorded()).find(({ type }) => type === 'PageViewed');
      expect(seen).toMatchObject({ data: { path: '/a', referrer: { host: 'www.example.com', own: true } } });
    });

    it('takes a beacon: text/plain, no headers, a doubled slash', async () => {
      const answer = await post('//batch?client_id=site_1')
        .set('content-type', 'text/plain;charset=UTF-8')
        .set('origin', 'https://example.com')
        .send(JSON.stringify([view]));
      expect([answer.status, (answer.body as { status: string }).status]).toEqual([200, 'success']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'https://example.com',
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
    });

    it('takes the website from its header, and the page from the allowed origins', () =>
      post('/batch')
        .set('databuddy-client-id', 'site_1')
        .set('origin', 'https://partner.org')
        .send([view])
        .expect(200));

    it('keeps bots apart', async () => {
      const before = (await tracker.recorded()).length;
      const answer = await post('/batch?client_id=site_1', BOT).send([view]);
      expect([answer.status, answer.text]).toEqual([204, '']);
      const [judged, ...others] = (await tracker.recorded()).filter(({ type }) => type === 'HitJudgedBot');
      expect([others, (await tracker.recorded()).length - before]).toEqual([[], 1]);
      expect(judged).toMatchObject({
        data: { userAgent: BOT, bot: 'Googlebot', rule: 'isbot', hit: { type: 'PageViewed', data: { path: '/a' } } },
      });
    });

    it('refuses what names no website', async () => {
      expect((await post('/batch').send([view])).status).toBe(400);
      expect((await post('/batch?client_id=nothing').send([view])).status).toBe(400);
    });
  });

  describe('POST /', () => {
    it('takes one event', async () => {
      const answer = await post('/?client_id=site_1').send({ name: 'screen_view', path: '/one' });
      expect([answer.status, answer.body]).toEqual([200, { status: 'success', type: 'track' }]);
    });

    it('takes an outgoing link', async () => {
      const answer = await post('/?client_id=site_1').send({ type: 'outgoing_link', href: 'https://b.org' });
      expect(answer.body).toEqual({ status: 'success', type: 'outgoing_link' });
    });

    it('refuses a bad one', () => post('/?client_id=site_1').send({ name: 'screen_view' }).expect(400));
  });

  describe('every route', () => {
    it('answers preflights', async () => {
      const answer = await request(tracker.app.getHttpServer())
        .options('//anything/at/all')
        .set('origin', 'https://example.com')
        .set('access-control-request-headers', 'x-api-key');
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe('https://example.com');
      expect(answer.headers['access-control-allow-headers']).toContain('databuddy-sdk-version');
    });

    it.each([
      ['a body that is no JSON', '/track', 'text', 400, 'VALIDATION_ERROR'],
      ['a body that is too large', '/track', JSON.stringify({ name: 'x'.repeat(1_100_000) }), 413, 'PAYLOAD_TOO_LARGE'],
      ['an unknown path', '/nothing/here', '{}', 404, 'NOT_FOUND'],
      ['a path that cannot be read', '/%zz', '{}', 400, 'VALIDATION_ERROR'],
    ])('says what is wrong with %s', async (_, path, body, status, code) => {
      const answer = await post(path).set('origin', 'https://example.com').set('content-type', 'text/plain').send(body);
      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ success: false, status: 'error', code });
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(answer.headers['access-control-allow-origin']).toBe('https://example.com');
    });

    it('accepts nothing while the log is away, and says when to try again', async () => {
      const log = tracker.app.get<IntakeLog>(INTAKE_LOG);
      const away = jest.spyOn(log, 'send').mockRejectedValue(new LogUnavailable('away'));
      const answer = await post('/track?website_id=site_1').send({ name: 'lost' });
      away.mockRestore();
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ success: false, status: 'error', code: 'SERVICE_UNAVAILABLE' });
      expect(answer.headers['retry-after']).toBe('2');
      expect(await named('lost')).toEqual([]);
    });

    it('says that it is well', async () => {
      const answer = await request(tracker.app.getHttpServer()).get('/health').set('x-request-id', 'mine');
      expect([answer.status, answer.body, answer.headers['x-request-id']]).toEqual([200, { status: 'ok' }, 'mine']);
    });
  });

  it('never records an address or a visitor’s user agent', async () => {
    const text = JSON.stringify((await tracker.recorded()).filter(({ type }) => type !== 'HitJudgedBot'));
    expect(text).not.toContain('81.2.69.142');
    expect(text).not.toContain('Mozilla');
    expect(text).not.toContain('"anon"');
  });
});
