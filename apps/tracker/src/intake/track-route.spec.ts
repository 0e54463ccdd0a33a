import request from 'supertest';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

describe('POST /track', () => {
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
        profileId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      },
    });
  });

  it('keeps integers beyond 2^53 in properties as they were written, and ids of Google Analytics', async () => {
    const ids = '"anonymousId":"GA1.2.1234567890.1764000000","sessionId":"s.1"';
    const item = (properties: string) => `{"name":"exact",${ids},"timestamp":${Date.now()},"properties":${properties}}`;
    const body = `[${item('{"order":9007199254740993,"text":"9007199254740993","deep":[{"n":-12345678901234567890}]}')},7,
      ${item('{"order":9007199254740991}')}]`;
    const answer = await post('/track?website_id=site_1').set('content-type', 'text/plain').send(body);
    expect(answer.body).toMatchObject({ status: 'success', count: 2 });
    expect((await named('exact')).map(({ data }) => 'properties' in data && data.properties)).toEqual([
      { order: '9007199254740993', text: '9007199254740993', deep: [{ n: '-12345678901234567890' }] },
      { order: 9007199254740991 },
    ]);
  });

  it('refuses events of a deleted website, with and without a key', async () => {
    await tracker.registerWebsite('site_3');
    const send = (name: string) => post('/track?website_id=site_3').set('origin', 'https://example.com').send({ name });
    const sendByKey = (name: string) => post('/track').set('x-api-key', key).send({ name, websiteId: 'site_3' });
    await Promise.all([send('before').expect(200), sendByKey('before').expect(200)]);
    await tracker.deleteWebsite('site_3');
    await tracker.app.get(LiveRegistry).catchUp();
    expect((await send('after')).body).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await sendByKey('after')).body).toMatchObject({ code: 'NOT_FOUND' });
    expect([await named('before'), await named('after')]).toMatchObject([[{}, {}], []]);
  });

  it('takes an event of the whole organization', async () => {
    await post('/track', 'node').set('x-api-key', key).send({ name: 'invoiced' }).expect(200);
    expect(await named('invoiced')).toMatchObject([{ data: { websiteId: null, zone: 'UTC', visitorId: null } }]);
  });

  it('takes what a browser sends, with the attributes of its visitor', async () => {
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
    ['no key', {}, { name: 'x' }, 401, 'AUTH_REQUIRED'],
    ['a key that is none', { 'x-api-key': 'svc_nothing' }, { name: 'x' }, 401, 'AUTH_REQUIRED'],
    ['an unknown website', {}, { name: 'x', websiteId: 'site_0' }, 400, 'VALIDATION_ERROR'],
    ['a foreign page', { origin: 'https://evil.example' }, { name: 'x', websiteId: 'site_1' }, 403, 'FORBIDDEN'],
    ['a page of nowhere', { origin: 'null' }, { name: 'x', websiteId: 'site_1' }, 403, 'FORBIDDEN'],
    ['no event', {}, {}, 400, 'VALIDATION_ERROR'],
    [
      'a day that does not exist',
      {},
      { name: 'x', websiteId: 'site_1', timestamp: '2026-02-30T00:00:00Z' },
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

  it('refuses a key without permission', async () => {
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
